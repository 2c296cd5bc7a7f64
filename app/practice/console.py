"""The stand-in's own endpoints: ledger, faults, tokens, and a page for users."""

import asyncio
from collections.abc import Sequence

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from app.practice.consent import page
from app.practice.desk import Desk
from app.practice.faults import FaultOrder, Weather
from app.practice.identities import Identity
from app.practice.platforms.base import Platform
from app.practice.settings import NOTICE
from app.practice.wall import Wall

_SHOWN_PUBLICATIONS = 200


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
