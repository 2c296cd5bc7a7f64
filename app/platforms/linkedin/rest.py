"""LinkedIn's versioned REST gateway: its calls and error responses."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from app.platforms.base import Cause, Departure, FailureKind, PlatformError, Published
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.rest import kind_of, retry_after

CONTENT_URN: Final = re.compile(r"urn:li:(?:share|ugcPost):\w+", re.ASCII)
EXPIRED_ADDRESS: Final = "EXPIRED_UPLOAD_URL"
"""Error code for an upload URL that has expired."""
# LinkedIn is still processing the file, or needs it again.
_FILE_NOT_READY: Final = frozenset({"MEDIA_ASSET_WAITING_UPLOAD", EXPIRED_ADDRESS})
_CAUSES: Final[Mapping[str, Cause]] = {
    "NONEXISTENT_VERSION": Cause.OUTDATED,
    "VERSION_MISSING": Cause.PROGRAM,
    "INVALID_URN_ID": Cause.PROGRAM,
    "INVALID_URN_TYPE": Cause.PROGRAM,
    "MISSING_FIELD": Cause.PROGRAM,
    "ILLEGAL_ARGUMENT": Cause.PROGRAM,
    "MEDIA_ASSET_PROCESSING_FAILED": Cause.FILE,
    "INVALID_IMAGE_ID": Cause.FILE_GONE,
    "INVALID_VIDEO_ID": Cause.FILE_GONE,
    "FIELD_LENGTH_TOO_LONG": Cause.TEXT_LENGTH,
    "INVALID_VALUE_BLANK_FIELD": Cause.TEXT,
}


Value = str | Sequence[str] | Mapping[str, str]
"""A parameter in Rest.li: a text, a list of texts, or a record of them."""


class _Refusal(BaseModel):
    message: str | None = None
    code: str | int | None = None
    service_error_code: int | None = Field(default=None, alias="serviceErrorCode")


class LinkedInRest:
    """Calls below ``/rest``."""

    def __init__(self, http: PlatformHttp, hosts: Hosts) -> None:
        self.http = http
        self.hosts = hosts

    def call(
        self,
        method: str,
        path: str,
        token: str,
        *,
        params: Mapping[str, Value] | None = None,
        json: Mapping[str, object] | None = None,
        creating: Departure | None = None,
        method_name: str | None = None,
    ) -> Call:
        """Return a call with an access token; ``method_name`` is Rest.li's, for finders."""
        headers = bearer(token) | {
            "LinkedIn-Version": self.hosts.version,
            "X-Restli-Protocol-Version": "2.0.0",
        }
        if method_name is not None:
            headers["X-RestLi-Method"] = method_name
        return Call(
            method=method,
            url=f"{self.hosts.api}/rest/{path}{_query(params or {})}",
            headers=headers,
            json=json,
            creating=creating,
            secrets=(token,),
        )

    async def ask(self, call: Call) -> Answer:
        """Return the response to a call. Raises PlatformError for an error response."""
        answer = await self.http.send(call)
        if not answer.is_success:
            raise self._refused(answer)
        return answer

    def published(self, content_id: str) -> Published:
        """Return a published post by its URN."""
        return Published(content_id, f"{self.hosts.seen_at}/feed/update/{quote(content_id)}/")

    def _refused(self, answer: Answer) -> PlatformError:
        refusal = answer.read(_Refusal) or _Refusal()
        message = refusal.message or f"LinkedIn answered {answer.status}."
        code = refusal.code or refusal.service_error_code or f"http_{answer.status}"
        kind, existing = kind_of(answer), None
        if answer.status in {400, 409, 422} and "duplicate" in message.lower():
            kind, named = FailureKind.DUPLICATE, CONTENT_URN.search(message)
            existing = self.published(named.group()) if named else None
        elif answer.status == 409:
            kind = FailureKind.TRANSIENT  # a write conflict: refused, and worth a retry
        elif code in _FILE_NOT_READY and kind is not FailureKind.AMBIGUOUS:
            kind = FailureKind.TRANSIENT
        elif answer.status == 426:
            kind = FailureKind.PERMISSION  # this version of the API has been sunset
        return PlatformError(
            kind,
            answer.words(str(code)),
            answer.words(message),
            retry_after=retry_after(answer),
            existing=existing,
            cause=_cause(answer, kind, str(code), message),
        )


def _query(params: Mapping[str, Value]) -> str:
    """Encode parameters for Rest.li 2.0, with unquoted punctuation around lists and records."""
    written = "&".join(f"{name}={_written(value)}" for name, value in params.items())
    return f"?{written}" if written else ""


def _written(value: Value) -> str:
    if isinstance(value, str):
        return quote(value, safe="")
    if isinstance(value, Mapping):
        return f"({','.join(f'{name}:{_written(each)}' for name, each in value.items())})"
    return f"List({','.join(map(_written, value))})"


def _cause(answer: Answer, kind: FailureKind, code: str, message: str) -> Cause | None:
    if answer.status == 429 and "APPLICATION DAY" in message:
        return Cause.APP_QUOTA
    # LinkedIn returns 422 for unknown fields, and for copies.
    is_unknown_field = answer.status == 422 and kind is FailureKind.INVALID
    is_unread = answer.status == 400 and message.startswith("Parameter '")
    return _CAUSES.get(code, Cause.PROGRAM if is_unknown_field or is_unread else None)
