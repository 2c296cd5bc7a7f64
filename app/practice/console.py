"""The stand-in's own endpoints: ledger, faults, tokens, and a page of publications as users see them."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, ValidationError

from app.practice.consent import page
from app.practice.desk import Desk
from app.practice.faults import FaultOrder, Weather
from app.practice.files import KeptFile
from app.practice.identities import Identity
from app.practice.ledger import Counts, Publication, counts_of
from app.practice.platforms.base import Platform
from app.practice.settings import NOTICE

_SHOWN = 30
_NUMBER = re.compile(r"\d{1,19}", re.ASCII)
# A file must not run code in the page's origin, whatever type a browser detects.
_FILE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; media-src 'self'; img-src 'self'; sandbox",
    "Cache-Control": "max-age=86400, immutable",
}


@dataclass(frozen=True)
class Shown:
    """A publication with everything on its card.

    Attributes:
        person: Its user; None for an account that was never connected here.
        cover: Cover image of its video.
        lost: Number of its files that aren't stored.
    """

    publication: Publication
    platform: Platform
    person: Identity | None
    board: str | None
    files: Sequence[KeptFile]
    cover: KeptFile | None
    lost: int
    counts: Counts

    @property
    def address(self) -> str:
        return f"/published/{self.platform.name}/{quote(self.publication.content_id, safe='')}"

    @property
    def account_address(self) -> str:
        account = quote(self.publication.account_identifier, safe="")
        return f"/published/{self.platform.name}/accounts/{account}"


class Wall:
    """The pages below ``/published``, and their files."""

    def __init__(self, desk: Desk, platforms: Sequence[Platform]) -> None:
        self._desk = desk
        self._platforms = {platform.name: platform for platform in platforms}

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/published", self.everything, methods=["GET"])
        router.add_api_route("/published/{platform}", self.of_platform, methods=["GET"])
        router.add_api_route("/published/{platform}/accounts/{account}", self.of_account, methods=["GET"])
        router.add_api_route("/published/{platform}/{content:path}", self.one, methods=["GET"])
        router.add_api_route("/files/{sha256}", self.file, methods=["GET"])
        # Facebook's posts have the same path level as its API versions.
        router.add_api_route("/facebook/{content}", self._platforms["facebook"].show, methods=["GET"])

    def everything(self, request: Request) -> Response:
        """Show the newest publications of all platforms."""
        return self._page(request, "Everything published here", {})

    def of_platform(self, request: Request, platform: str) -> Response:
        """Show the newest publications of a platform."""
        known = self._known(platform)
        return self._page(request, f"Published on practice {known.title}", {"platform": platform})

    def of_account(self, request: Request, platform: str, account: str) -> Response:
        """Show the newest publications of an account."""
        known = self._known(platform)
        person = known.person_of(account)
        name = person.display_name if person else account
        wanted = {"platform": platform, "identifier": account}
        return self._page(request, f"{name} on practice {known.title}", wanted)

    def one(self, request: Request, platform: str, content: str) -> Response:
        """Show a publication."""
        known = self._known(platform)
        found = self._desk.ledger.find(platform, content)
        if found is None:
            raise HTTPException(404)
        return self._answer(request, f"Published on practice {known.title}", [found], platform, None)

    def file(self, sha256: str) -> Response:
        """Return an image or video, with range support for players."""
        found = self._desk.files.find(sha256)
        if found is None:
            raise HTTPException(404)
        return FileResponse(found.path, media_type=found.kind, headers=_FILE_HEADERS)

    def _known(self, platform: str) -> Platform:
        found = self._platforms.get(platform)
        if found is None:
            raise HTTPException(404)
        return found

    def _page(self, request: Request, heading: str, wanted: Mapping[str, str]) -> Response:
        """Show the newest matching publications, below the number in the query."""
        before = request.query_params.get("before", "")
        below = int(before) if _NUMBER.fullmatch(before) else None
        found = self._desk.ledger.latest(_SHOWN + 1, below=below, **wanted)
        here = found[:_SHOWN]
        older = (
            "?" + urlencode({"before": self._desk.ledger.number(here[-1])}) if len(found) > _SHOWN else None
        )
        return self._answer(request, heading, here, wanted.get("platform"), older)

    def _answer(
        self,
        request: Request,
        heading: str,
        publications: Sequence[Publication],
        platform: str | None,
        older: str | None,
    ) -> Response:
        context: dict[str, Any] = {
            "heading": heading,
            "platforms": [known for known in self._platforms.values() if known.publishes],
            "here": platform,
            "shown": [self._shown(publication) for publication in publications],
            "older": older,
        }
        return page(self._desk, request, "wall.html", context)

    def _shown(self, publication: Publication) -> Shown:
        platform = self._known(publication.platform)
        person = platform.person_of(publication.account_identifier)
        digests = (publication.media_sha256 or "").split(",") if publication.media_sha256 else []
        files = [file for file in map(self._desk.files.find, digests) if file is not None]
        board = platform.board_name(person, publication.board_id) if person and publication.board_id else None
        return Shown(
            publication=publication,
            platform=platform,
            person=person,
            board=board or publication.board_id,
            files=files,
            cover=self._desk.covers.of(publication.platform, publication.content_id),
            lost=len(digests) - len(files),
            counts=counts_of(publication, self._desk.settings.clock()),
        )


_SHOWN_PUBLICATIONS = 200


class _Edit(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str | None = None
    title: str | None = None
    board_id: str | None = None


class Console:
    """Routes outside the platforms."""

    def __init__(self, desk: Desk, platforms: Sequence[Platform]) -> None:
        self._desk = desk
        self._platforms = {platform.name: platform for platform in platforms}
        self._wall = Wall(desk, platforms)

    def router(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route("/", self.home, methods=["GET"])
        router.add_api_route("/ledger", self.ledger, methods=["GET"])
        router.add_api_route("/ledger/{platform}/{content:path}", self.edit, methods=["PATCH"])
        router.add_api_route("/faults", self.order_fault, methods=["POST"])
        router.add_api_route("/weather", self.change_weather, methods=["POST"])
        router.add_api_route("/tokens", self.tokens, methods=["GET"])
        router.add_api_route("/avatars/{platform}/{account}.svg", self.avatar, methods=["GET"], name="avatar")
        self._wall.add_routes(router)
        return router

    def home(self, request: Request) -> Response:
        """Show what this is, and the newest publications."""
        context = {
            "platforms": list(self._platforms.values()),
            "titles": {name: platform.title for name, platform in self._platforms.items()},
            "publications": self._desk.ledger.latest(_SHOWN_PUBLICATIONS),
            "total": self._desk.ledger.total(),
            "faults": self._desk.faults.waiting(),
        }
        return page(self._desk, request, "home.html", context)

    def ledger(self) -> Response:
        """Return every accepted publication, oldest first."""
        return _document([publication.document() for publication in self._desk.ledger.all()])

    async def edit(self, request: Request, platform: str, content: str) -> Response:
        """Change a publication's text, title or board, as its author does on the platform."""
        known = self._platforms.get(platform)
        try:
            changes = _Edit.model_validate_json(await request.body()).model_dump(exclude_none=True)
        except ValidationError as error:
            return _wrong(error)
        if known is None or not await asyncio.to_thread(
            self._desk.ledger.edit, platform, content, changes, renames=known.renames_edited
        ):
            raise HTTPException(404)
        return _document(changes)

    def tokens(self) -> Response:
        """Return every access and refresh token ever issued, oldest first."""
        return _document(self._desk.grants.all_tokens())

    async def order_fault(self, request: Request) -> Response:
        """Schedule a fault. An invalid body returns 400 with the name of the field."""
        try:
            order = FaultOrder.model_validate_json(await request.body())
        except ValidationError as error:
            return _wrong(error)
        if order.platform not in self._platforms:
            return _refused("platform", f"One of: {', '.join(self._platforms)}.")
        await asyncio.to_thread(self._place, order)
        return _document(order.model_dump(mode="json"), 201)

    async def change_weather(self, request: Request) -> Response:
        """Make calls fail at random from now on; an empty object stops this."""
        try:
            weather = Weather.model_validate_json(await request.body())
        except ValidationError as error:
            return _wrong(error)
        self._desk.faults.change(weather)
        return _document(weather.model_dump(mode="json"), 201)

    def avatar(self, platform: str, account: str, request: Request) -> Response:
        """Return the avatar of a simulated user: initials on a colour."""
        try:
            person = Identity.of(platform, account)
        except ValueError as error:
            raise HTTPException(404) from error
        headers = {"Cache-Control": "max-age=86400"}
        return self._desk.templates.TemplateResponse(
            request, "avatar.svg", {"person": person}, headers=headers, media_type="image/svg+xml"
        )

    def _place(self, order: FaultOrder) -> None:
        if order.ends_grants:
            self._desk.grants.revoke_account(order.platform, order.account)
        else:
            self._desk.faults.order(order)


def _document(data: object, status: int = 200) -> JSONResponse:
    return JSONResponse({"notice": NOTICE, "data": data}, status, {"Cache-Control": "no-store"})


def _wrong(error: ValidationError) -> JSONResponse:
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return _refused(".".join(str(part) for part in first["loc"]) or "body", first["msg"])


def _refused(field: str, message: str) -> JSONResponse:
    return JSONResponse({"notice": NOTICE, "error": {"field": field, "message": message}}, 400)
