"""Pinterest's API v5: OAuth, the account, its boards."""

import base64
import binascii
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.practice.consent import Wording, read_form
from app.practice.desk import Desk
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import Platform, PlatformError, basic_client
from app.practice.platforms.pinterest_pins import Board, PinterestPins, boards_of
from app.practice.quotas import Quota, UsedUpError

# For apps with Trial access, like every new app.
_CALLS = Quota("pinterest trial", 1000, midnight="UTC", per_app=True)


class _Query(BaseModel):
    model_config = ConfigDict(extra="ignore")

    page_size: int = Field(25, ge=1, le=250)
    bookmark: str = ""
    privacy: str = ""


class Pinterest(Platform):
    """One account per grant, with constant boards."""

    name: ClassVar = "pinterest"
    title: ClassVar = "Pinterest"
    scopes: ClassVar = {
        "user_accounts:read": "See your account",
        "boards:read": "See your public boards",
        "boards:write": "Change your public boards",
        "boards:read_secret": "See your secret boards",
        "boards:write_secret": "Change your secret boards",
        "pins:read": "See your public pins",
        "pins:write": "Publish pins in your name",
        "pins:read_secret": "See your secret pins",
        "pins:write_secret": "Publish secret pins in your name",
    }
    rules: ClassVar = TokenRules(code_s=600, access_s=30 * 86_400, refresh_s=60 * 86_400, renews=True)
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(separator=",")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._pins = PinterestPins(self, _error)

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}")
        self._pins.add_routes(router)
        router.add_api_route("/pin/{content}/", self.show, methods=["GET"])
        router.add_api_route("/oauth/", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/", self.decide, methods=["POST"])
        router.add_api_route("/v5/oauth/token", self.token, methods=["POST"])
        router.add_api_route("/v5/user_account", self.user_account, methods=["GET"])
        router.add_api_route("/v5/boards", self.boards, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return identity.long_id

    def board_name(self, person: Identity, board_id: str) -> str | None:
        return next((board.name for board in boards_of(person) if board.id == board_id), None)

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token. The app authenticates with a Basic header."""
        form = await read_form(request)
        client_id, secret = basic_client(request)
        if not secret:
            return _error(401, 2, "Authentication failed.")
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(form, client_id))

    async def user_account(self, request: Request) -> Response:
        """Return the token's account."""
        grant = await self.caller(request, "user_accounts:read")
        person = grant.identity
        pins = self.desk.ledger.count(self.name, grant.identifier)
        return JSONResponse(
            {
                "account_type": "BUSINESS",
                "id": grant.identifier,
                "profile_image": self.avatar(request, person),
                "website_url": "",
                "username": person.handle,
                "business_name": person.display_name,
                "board_count": len(boards_of(person)),
                "pin_count": pins,
                "follower_count": person.followers,
                "following_count": 0,
                "monthly_views": person.followers * 12,
            }
        )

    async def boards(self, request: Request) -> Response:
        """Return a page of the account's boards. Secret ones need a separate scope."""
        grant = await self.caller(request, "boards:read")
        query = _read_query(request)
        shown = [board for board in boards_of(grant.identity) if _may_see(grant, board)]
        shown = [board for board in shown if query.privacy in {"", board.privacy}]
        first = _place(query.bookmark) if query.bookmark else 0
        here = shown[first : first + query.page_size]
        after = first + len(here)
        items = [self._board(grant, board) for board in here]
        return JSONResponse({"items": items, "bookmark": _bookmark(after) if after < len(shown) else None})

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return _error(500, 0, "Something went wrong on our end. Sorry about that.")
        if kind is FaultKind.RATE_LIMIT:
            return _rate_limited(self.desk.settings.rate_limit_window_s)
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return _error(400, 283, "Invalid or expired authorization code or refresh token.")
        return _error(400, 1, "The practice platform was asked to refuse this call.")

    def dead_token(self, error: DeadTokenError) -> Response:  # noqa: ARG002  # Pinterest has one response
        return _error(401, 2, "Authentication failed.")

    async def caller(self, request: Request, *scopes: str) -> Grant:
        grant = await super().caller(request, *scopes)
        self.spend(grant, _CALLS)
        return grant

    def used_up(self, error: UsedUpError) -> Response:
        return _rate_limited(error.resets_at - self.desk.settings.clock())

    def missing_scope(self, scope: str) -> Response:
        return _error(403, 3, f"Your application lacks the permission for this resource: {scope}.")

    def _token(self, form: dict[str, str], client_id: str) -> Response:
        grants, kind = self.desk.grants, form.get("grant_type", "")
        try:
            if kind == "authorization_code":
                code, redirect_uri = form.get("code", ""), form.get("redirect_uri", "")
                issued = grants.exchange(self.rules, code, client_id, redirect_uri)
            elif kind == "refresh_token":
                issued = grants.refresh(self.rules, form.get("refresh_token", ""), client_id)
            else:
                return _error(400, 1, f"'{kind}' is not one of the grant types.")
        except RefusedGrantError:
            return self.refusal(FaultKind.REJECT, Operation.TOKEN)
        return self._token_answer(issued, kind)

    def _token_answer(self, issued: Issued, kind: str) -> Response:
        body = {
            "response_type": kind,
            "access_token": issued.access_token,
            "token_type": "bearer",
            "expires_in": issued.expires_in,
            "scope": ",".join(sorted(issued.scope)),
            "refresh_token": issued.refresh_token,
            "refresh_token_expires_in": issued.refresh_expires_in,
        }
        if issued.refresh_expires_in is not None:
            body["refresh_token_expires_at"] = int(self.desk.settings.clock()) + issued.refresh_expires_in
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    def _board(self, grant: Grant, board: Board) -> dict[str, Any]:
        return {
            "id": board.id,
            "created_at": "2026-01-05T09:00:00",
            "name": board.name,
            "description": board.description,
            "owner": {"username": grant.identity.handle},
            "privacy": board.privacy,
            "pin_count": board.pin_count,
            "follower_count": grant.identity.followers,
            "collaborator_count": 0,
            "media": {"image_cover_url": None, "pin_thumbnail_urls": []},
        }


def _may_see(grant: Grant, board: Board) -> bool:
    return board.privacy != "SECRET" or "boards:read_secret" in grant.scope


def _read_query(request: Request) -> _Query:
    try:
        return _Query.model_validate(dict(request.query_params))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    raise PlatformError(_error(400, 1, f"Invalid value for {first['loc'][0]}: {first['msg']}"))


def _bookmark(place: int) -> str:
    return base64.urlsafe_b64encode(f"board:{place}".encode()).decode()


def _place(bookmark: str) -> int:
    try:
        kind, _, place = base64.urlsafe_b64decode(bookmark.encode()).decode().partition(":")
        if kind == "board" and place.isascii() and place.isdigit() and len(place) < 7:
            return int(place)
    except (binascii.Error, UnicodeError):
        pass
    raise PlatformError(_error(400, 1, "Invalid bookmark"))


def _error(status: int, code: int, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message}, status)


def _rate_limited(resets_in_s: float) -> Response:
    response = _error(429, 8, "You have exceeded your rate limit. Try again later.")
    response.headers["x-ratelimit-remaining"] = "0"
    response.headers["x-ratelimit-reset"] = str(int(resets_in_s))
    return response
