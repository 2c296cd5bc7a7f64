"""Common parts of Meta's platforms: the error format, and tokens in three places."""

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import FaultKind, Operation
from app.practice.grants import DeadTokenError
from app.practice.platforms.base import Platform
from app.practice.quotas import UsedUpError

_DEAD_TOKEN = {
    "unknown": (None, "Invalid OAuth access token - Cannot parse access token"),
    "expired": (463, "Error validating access token: Session has expired."),
    "revoked": (460, "Error validating access token: The session has been invalidated."),
}


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
