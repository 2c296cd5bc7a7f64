"""Meta's Graph API: errors and tokens, and Facebook Login with a user's Pages."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.consent import Choice, Wording
from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError, Grant, Issued, RefusedGrantError, TokenRules
from app.practice.identities import Identity
from app.practice.platforms.base import Platform, PlatformError
from app.practice.quotas import UsedUpError

_DEAD_TOKEN = {
    "unknown": (None, "Invalid OAuth access token - Cannot parse access token"),
    "expired": (463, "Error validating access token: Session has expired."),
    "revoked": (460, "Error validating access token: The session has been invalidated."),
}

# Supported Graph API versions. There are no newer ones than today's.
_VERSIONS = frozenset(f"v{number}.0" for number in range(20, 27))
DAY_S = 86_400
LONG_S = 60 * DAY_S
"""Lifetime of a long-lived token, in s."""
_PAGES = ("studio", "journal")
# Shorten users' names, so that their Pages' names are valid account names too.
_LONGEST_PERSON = 32


class GraphPlatform(Platform):
    """A Graph API."""

    def bearer(self, request: Request) -> str:
        """Return the token from the header, with either scheme, or from the parameter ``access_token``."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() in {"bearer", "oauth"}:
            return token.strip()
        return request.query_params.get("access_token", "")

    def refusal(self, kind: FaultKind, operation: Operation) -> Response:
        if kind is FaultKind.ERROR_500:
            return error(1, "An unknown error occurred", status=500)
        if kind is FaultKind.RATE_LIMIT:
            return error(4, "Application request limit reached", is_transient=True)
        if kind is FaultKind.EXPIRED_TOKEN:
            return self.dead_token(DeadTokenError("expired"))
        if operation is Operation.TOKEN:
            return bad_code()
        return error(100, "Invalid parameter", is_transient=False)

    def used_up(self, error_: UsedUpError) -> Response:  # noqa: ARG002  # there is one quota
        reason = (
            "You reached maximum number of posts that is allowed to be published by Content Publishing API."
        )
        return error(9, reason, 2207042)

    def dead_token(self, error_: DeadTokenError) -> Response:
        subcode, message = _DEAD_TOKEN[error_.reason]
        return error(190, message, subcode)

    def missing_scope(self, scope: str) -> Response:
        return error(200, f"Requires {scope} permission to manage the object")

    async def page_caller(self, request: Request, account: str, *scopes: str) -> Grant:
        """Return the grant of a call for an account, by its own token.

        Raises:
            PlatformError: The token isn't valid, lacks a scope, or isn't the account's.
        """
        grant = await self.caller(request, *scopes)
        if account not in {"me", grant.identifier}:
            message = f"Unsupported request. Object with ID '{account}' does not exist or cannot be loaded"
            raise PlatformError(error(100, message, 33))
        return grant


def bad_code() -> Response:
    return error(100, "This authorization code has been used.", 36009)


def error(
    code: int, message: str, subcode: int | None = None, *, status: int = 400, **more: object
) -> Response:
    """Return an error; nearly all of them have HTTP status 400."""
    body: dict[str, Any] = {"message": message, "type": "OAuthException", "code": code}
    if subcode is not None:
        body["error_subcode"] = subcode
    return JSONResponse({"error": body | more | {"fbtrace_id": "APractice"}}, status)


class PagesPlatform(GraphPlatform):
    """A user with two Pages. Operations on a Page need its own token."""

    rules: ClassVar = TokenRules(code_s=600, access_s=5400, refresh_s=None, bytes_of_token=140)
    unknown_scope: ClassVar = "invalid_scope"
    wording: ClassVar = Wording(separator=",")

    def router(self) -> APIRouter:
        router = APIRouter(prefix=f"/{self.name}/{{version}}")
        router.add_api_route("/dialog/oauth", self.authorize, methods=["GET"])
        router.add_api_route("/dialog/oauth", self.decide, methods=["POST"])
        router.add_api_route("/oauth/access_token", self.token, methods=["GET"])
        router.add_api_route("/me/accounts", self.accounts, methods=["GET"])
        router.add_api_route("/me/permissions", self.permissions, methods=["GET"])
        return router

    def identifier(self, identity: Identity) -> str:
        return page_id(identity)

    def person_of(self, identifier: str) -> Identity | None:
        """Return the Page of an account."""
        person = self.desk.grants.account_with_page(self.name, identifier)
        pages = pages_of(person) if person else []
        return next((page for page in pages if self.account_of_page(page) == identifier), None)

    def choices(self, identity: Identity) -> Sequence[Choice]:
        return [Choice(page_id(page), page.display_name) for page in pages_of(identity)]

    def account_of_page(self, page: Identity) -> str | None:
        """Return the platform's ID of a Page's account; None if the Page has none."""
        return page_id(page)

    def page_fields(self, request: Request, page: Identity) -> Mapping[str, Any]:
        """Return the Page's fields, except its token."""
        raise NotImplementedError

    async def caller(self, request: Request, *scopes: str) -> Grant:
        self._check_version(request)
        return await super().caller(request, *scopes)

    def _check_version(self, request: Request) -> None:
        version = request.path_params["version"]
        if version not in _VERSIONS:
            raise PlatformError(error(2500, f"Unknown path components: /{version}"))

    async def token(self, request: Request) -> Response:
        """Exchange a code for a short-lived token, or a token for a long-lived one."""
        self._check_version(request)
        query = dict(request.query_params)
        for name in ("client_id", "client_secret"):
            if not query.get(name):
                return error(101, f"Missing {name} parameter.")
        if query.get("grant_type") == "client_credentials":
            return JSONResponse({"access_token": f"{query['client_id']}|practice", "token_type": "bearer"})
        holder = await self.holder({"code": query.get("code") or query.get("fb_exchange_token", "")})
        return await self.answer(Operation.TOKEN, holder, lambda: self._token(query))

    async def permissions(self, request: Request) -> Response:
        """Return the permissions that the user granted and declined."""
        grant = await self.caller(request)
        status = {scope: "granted" if scope in grant.scope else "declined" for scope in self.scopes}
        return JSONResponse({"data": [{"permission": scope, "status": status[scope]} for scope in status]})

    async def accounts(self, request: Request) -> Response:
        """Return the Pages that the user allowed, each with its token. Pages themselves have none."""
        grant = await self.caller(request, "pages_show_list")
        if grant.is_page:
            message = "(#100) Tried accessing nonexisting field (accounts) on node type (Page)"
            return error(100, message)
        wanted = {"id", *asked_fields(request)}
        pages = [
            page for page in pages_of(grant.identity) if not grant.chosen or page_id(page) in grant.chosen
        ]
        data = [await asyncio.to_thread(self._page, request, grant, page, wanted) for page in pages]
        return JSONResponse({"data": data, "paging": {"cursors": {"before": "QQ", "after": "QQ"}}})

    def _page(self, request: Request, grant: Grant, page: Identity, wanted: set[str]) -> dict[str, Any]:
        subject = self.account_of_page(page) or page_id(page)
        fields = {
            "id": page_id(page),
            "name": page.display_name,
            "tasks": ["ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"],
            **self.page_fields(request, page),
        }
        if "access_token" in wanted:
            fields["access_token"] = self.desk.grants.page_token(self.rules, grant, subject)
        return {name: value for name, value in fields.items() if name in wanted}

    def _token(self, query: Mapping[str, str]) -> Response:
        grants = self.desk.grants
        if query.get("grant_type") == "fb_exchange_token":
            try:
                return token_answer(
                    grants.prolong(self.rules, self.name, query.get("fb_exchange_token", ""), LONG_S)
                )
            except DeadTokenError as dead:
                return self.dead_token(dead)
        try:
            code, redirect_uri = query.get("code", ""), query.get("redirect_uri", "")
            return token_answer(grants.exchange(self.rules, code, query["client_id"], redirect_uri))
        except RefusedGrantError:
            return bad_code()


def pages_of(person: Identity) -> list[Identity]:
    """Return the user's two Pages, with names and IDs derived from the user's."""
    name = person.account[:_LONGEST_PERSON]
    return [Identity.of(person.platform, f"{name}-{page}") for page in _PAGES]


def page_of(grant: Grant, account: str) -> Identity | None:
    """Return the Page with an ID that belongs to the grant's user."""
    return next((page for page in pages_of(grant.identity) if page_id(page) == account), None)


def page_id(page: Identity) -> str:
    """Fifteen digits, like the IDs of Pages."""
    return str(10**14 + page.seed % (9 * 10**14))


def asked_fields(request: Request) -> set[str]:
    """Return the names in the parameter ``fields``, without nested fields (``a{b},c.limit(0)``)."""
    fields = request.query_params.get("fields", "")
    while fields != (flat := re.sub(r"\{[^{}]*\}|\([^()]*\)", "", fields)):
        fields = flat
    return {name.partition(".")[0].strip() for name in fields.split(",")} - {""}


def token_answer(issued: Issued) -> Response:
    """Return the response with a token, and its lifetime in s."""
    body = {"access_token": issued.access_token, "token_type": "bearer", "expires_in": issued.expires_in}
    return JSONResponse(body, headers={"Cache-Control": "no-store"})
