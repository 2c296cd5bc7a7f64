"""Meta's platforms with a separate login: OAuth, and tokens that are valid for 60 days."""

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import Wording, read_form
from app.practice.faults import Operation
from app.practice.grants import DeadTokenError, Issued, RefusedGrantError
from app.practice.platforms.base import PlatformError
from app.practice.platforms.graph import LONG_S, GraphPlatform, bad_code, error, token_answer


class OwnLogin(GraphPlatform):
    """One user per grant. A code's token is valid for an hour, and can be exchanged for a long-lived one."""

    exchange_grant: ClassVar[str]
    """``grant_type`` that exchanges a code's token."""
    refresh_grant: ClassVar[str]
    """``grant_type`` that refreshes a long-lived token."""
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(separator=",")

    def add_login(self, router: APIRouter) -> None:
        """Add the routes of the consent page and of tokens."""
        router.add_api_route("/oauth/authorize", self.authorize, methods=["GET"])
        router.add_api_route("/oauth/authorize", self.decide, methods=["POST"])
        router.add_api_route("/oauth/access_token", self.token, methods=["POST"])
        router.add_api_route("/access_token", self.prolong, methods=["GET"])
        router.add_api_route("/refresh_access_token", self.prolong, methods=["GET"])

    async def token(self, request: Request) -> Response:
        """Exchange a code for a token that's valid for an hour."""
        form = await read_form(request)
        for name in ("client_id", "client_secret", "code", "redirect_uri"):
            if not form.get(name):
                return error(100, f"Missing {name} parameter.")
        if form.get("grant_type") != "authorization_code":
            return error(100, "Invalid grant_type parameter.")
        holder = await self.holder(form)
        return await self.answer(Operation.TOKEN, holder, lambda: self._exchange(form))

    async def prolong(self, request: Request) -> Response:
        """Exchange a valid token for one that's valid for 60 days."""
        is_refresh = request.url.path.endswith("/refresh_access_token")
        asked = request.query_params
        if asked.get("grant_type") != (self.refresh_grant if is_refresh else self.exchange_grant):
            return error(100, "Invalid grant_type parameter.")
        if not is_refresh and not asked.get("client_secret"):
            return error(100, "Missing client_secret parameter.")
        token = self.bearer(request)
        holder = await asyncio.to_thread(self.desk.grants.holder, token)
        return await self.answer(Operation.TOKEN, holder, lambda: self._prolong(token, is_refresh=is_refresh))

    def granted(self, issued: Issued) -> dict[str, Any]:
        """Return the response to the exchange of a code. Runs in a thread."""
        return {"access_token": issued.access_token, "user_id": self.desk.grants.holder(issued.access_token)}

    def refresh_problem(self, token: str) -> str | None:  # noqa: ARG002  # Instagram refreshes any
        """Return why a token can't be refreshed, or None. Runs in a thread."""
        return None

    def _exchange(self, form: dict[str, str]) -> Response:
        try:
            issued = self.desk.grants.exchange(
                self.rules, form["code"], form["client_id"], form["redirect_uri"]
            )
        except RefusedGrantError:
            return bad_code()
        return JSONResponse(self.granted(issued), headers={"Cache-Control": "no-store"})

    def _prolong(self, token: str, *, is_refresh: bool) -> Response:
        if is_refresh and (problem := self.refresh_problem(token)):
            return error(100, problem)
        try:
            issued = self.desk.grants.prolong(self.rules, self.name, token, LONG_S)
        except DeadTokenError as dead:
            return self.dead_token(dead)
        return token_answer(issued)


def chosen_fields(request: Request, user: Mapping[str, Any]) -> Response:
    """Return the requested fields and the ID. Raises PlatformError for an unknown field."""
    fields = {"id", *filter(None, request.query_params.get("fields", "").split(","))}
    if unknown := sorted(fields - user.keys()):
        raise PlatformError(error(100, f"Tried accessing nonexisting field ({unknown[0]})"))
    return JSONResponse({key: value for key, value in user.items() if key in fields})
