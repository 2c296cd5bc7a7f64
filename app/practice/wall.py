"""Publications as users would see them: by platform and account, with images and videos."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, Response

from app.practice.consent import page
from app.practice.desk import Desk
from app.practice.files import KeptFile
from app.practice.identities import Identity
from app.practice.ledger import Counts, Publication, counts_of
from app.practice.platforms.base import Platform

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
