"""The Graph API: calls, error responses, and tokens that renew themselves.

Sources: Meta's tables of error codes for the Graph API and for content publishing. The subcodes of Pages come
from programs in production.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, Field, RootModel

from app.platforms.base import Cause, FailureKind, Media, PlatformError, TokenGrant
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.oauth import Token
from app.platforms.rest import RestApi, kind_of, no_address, part_of, retry_after, unexpected

Meaning = tuple[FailureKind | None, Cause | None]
"""What an error means for the next step (None if only the status tells), and its cause."""

NEW_CONTAINER: Final = frozenset({2207008, 2207020, 2207032, 2207053})
"""Subcodes for a dead Instagram container: a new one is needed."""

SURELY_ABSENT: Final = NEW_CONTAINER | {9007, 2207027}
"""Transient codes and subcodes which guarantee that nothing was published."""

_K: Final = FailureKind
# The subcode is more specific than the code, which may be generic.
_SUBCODES: Final[Mapping[int, Meaning]] = {
    2207001: (_K.TRANSIENT, None),  # an internal error of Instagram
    2207003: (_K.TRANSIENT, Cause.FILE_ADDRESS),  # fetching the file took too long
    2207082: (_K.TRANSIENT, None),
    **dict.fromkeys(NEW_CONTAINER, (_K.TRANSIENT, None)),
    2207027: (_K.TRANSIENT, None),  # the container isn't ready yet
    1363047: (_K.TRANSIENT, None),
    1609010: (_K.TRANSIENT, None),
    1390008: (_K.RATE_LIMITED, None),
    2207042: (_K.QUOTA, None),
    1366051: (_K.DUPLICATE, None),
    2207050: (_K.PERMISSION, Cause.RESTRICTED),
    2207051: (_K.PERMISSION, Cause.SPAM),
    1404078: (_K.PERMISSION, Cause.RESTRICTED),  # the Page must be authorized to publish
    4854002: (_K.PERMISSION, Cause.RESTRICTED),  # the user must confirm their identity
    1346003: (_K.INVALID, Cause.POLICY),
    1404102: (_K.INVALID, Cause.POLICY),
    1609008: (_K.INVALID, Cause.LINK),
    2061006: (_K.INVALID, Cause.LINK),
    1349125: (_K.INVALID, Cause.TEXT),
    1366046: (_K.INVALID, Cause.FILE),
    2207052: (_K.INVALID, Cause.FILE_ADDRESS),
    2207026: (_K.INVALID, Cause.FILE),
    2207004: (_K.INVALID, Cause.FILE_SIZE),
    2207005: (_K.INVALID, Cause.FILE),
    2207009: (_K.INVALID, Cause.FILE_SHAPE),
    2207010: (_K.INVALID, Cause.TEXT_LENGTH),
    2207040: (_K.INVALID, Cause.TEXT),  # too many tags
    2207057: (_K.INVALID, Cause.FILE_LENGTH),  # the cover's position is beyond the end
}
_CODES: Final[Mapping[int, Meaning]] = {
    **dict.fromkeys((102, 190), (_K.AUTH_EXPIRED, None)),
    **dict.fromkeys((4, 17, 32, 341, 613), (_K.RATE_LIMITED, None)),
    **dict.fromkeys((-2, -1, 1, 2), (_K.TRANSIENT, None)),
    10: (_K.PERMISSION, None),
    25: (_K.PERMISSION, Cause.RESTRICTED),
    368: (_K.PERMISSION, Cause.RESTRICTED),
    506: (_K.DUPLICATE, None),
    1366051: (_K.DUPLICATE, None),
    352: (_K.INVALID, Cause.FILE),
    36000: (_K.INVALID, Cause.FILE_SIZE),
    36001: (_K.INVALID, Cause.FILE),
    36003: (_K.INVALID, Cause.FILE_SHAPE),
    36004: (_K.INVALID, Cause.TEXT_LENGTH),
    9004: (_K.INVALID, Cause.FILE_ADDRESS),
    9007: (_K.TRANSIENT, None),
}


def meaning_of(code: int, subcode: int | None, *, is_transient: bool = False) -> Meaning:
    """Return the meaning of a code; ``is_transient`` is Meta's own flag for transient errors."""
    if code in {102, 190}:
        return _CODES[code]  # whatever ended the token
    if subcode is not None and subcode in _SUBCODES:
        return _SUBCODES[subcode]
    if code in _CODES:
        return _CODES[code]
    if 200 <= code < 300:
        return FailureKind.PERMISSION, None
    if 80_000 <= code < 80_100:
        return FailureKind.RATE_LIMITED, None
    return (FailureKind.TRANSIENT, None) if is_transient else (None, None)


class _Error(BaseModel):
    message: str | None = None
    code: int = 0
    error_subcode: int | None = None
    error_user_msg: str | None = None
    is_transient: bool = False


class _Refusal(BaseModel):
    error: _Error


class _PlainRefusal(BaseModel):
    """The form of errors in which Instagram Login exchanges codes."""

    message: Annotated[str, Field(alias="error_message")]


class _Use(BaseModel):
    estimated_time_to_regain_access: Annotated[int, Field(ge=0, le=100_000)] = 0  # in minutes


class _Usage(RootModel[dict[str, list[_Use]]]):
    """The header ``x-business-use-case-usage``, by account."""


class _TokenAnswer(BaseModel):
    access_token: Token
    expires_in: Annotated[int, Field(ge=0, le=10**9)] | None = None


def refused(answer: Answer, name: str) -> PlatformError:
    """Convert an error response of a Graph API."""
    refusal = answer.read(_Refusal)
    error = refusal.error if refusal else _Error()
    code = str(error.code) if error.error_subcode is None else f"{error.code}/{error.error_subcode}"
    message = error.error_user_msg or error.message or f"{name} answered {answer.status}."
    kind, cause = meaning_of(error.code, error.error_subcode, is_transient=error.is_transient)
    is_unsure = answer.call.creating is not None and SURELY_ABSENT.isdisjoint(
        {error.code, error.error_subcode}
    )
    is_passing = kind is FailureKind.TRANSIENT or kind_of(answer) is FailureKind.AMBIGUOUS
    if is_passing and is_unsure:
        kind = FailureKind.AMBIGUOUS
    return PlatformError(
        kind or kind_of(answer),
        code if refusal else f"http_{answer.status}",
        answer.words(message),
        retry_after=retry_after(answer) or _until_regained(answer),
        cause=cause,
    )


def read_token(answer: Answer, name: str, now: datetime) -> TokenGrant:
    """Return the token in a response, which is also its own refresh token.

    Raises PlatformError: AUTH_EXPIRED if the code or token is refused, PERMISSION if the app is.
    """
    if not answer.is_success:
        raise _refused_token(answer, name)
    token = answer.read(_TokenAnswer)
    if token is None:
        raise unexpected(answer, name)
    ends = None if token.expires_in is None else now + timedelta(seconds=token.expires_in)
    return TokenGrant(token.access_token, token.access_token, ends)


def _refused_token(answer: Answer, name: str) -> PlatformError:
    """Convert an error response: codes 1 and 101 mean the app, other client errors the code or token."""
    error = refused(answer, name)
    if plain := answer.read(_PlainRefusal):
        error.message = answer.words(plain.message)
    if error.code in {"http_401", "http_403"}:  # without a body, any proxy may have sent them
        error.kind = FailureKind.TRANSIENT
    elif error.code in {"1", "101"} and answer.status < 500:
        error.kind, error.cause = FailureKind.PERMISSION, Cause.APP
    elif error.kind is FailureKind.INVALID:
        error.kind, error.cause = FailureKind.AUTH_EXPIRED, None
    return error


def _until_regained(answer: Answer) -> float | None:
    """Return the seconds until the account may call again, if the response says so."""
    try:
        usage = _Usage.model_validate_json(answer.headers.get("x-business-use-case-usage", ""))
    except ValueError:
        return None
    minutes = max(
        (use.estimated_time_to_regain_access for uses in usage.root.values() for use in uses), default=0
    )
    return minutes * 60.0 or None


GraphId = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class Graph(RestApi):
    """Calls to the Graph API, at ``api`` if it has a different host than other calls."""

    def __init__(self, http: PlatformHttp, hosts: Hosts, api: str = "") -> None:
        base = f"{api or hosts.api}/{hosts.version}"
        super().__init__(http, base, lambda answer: refused(answer, http.name))
        self._hosts = hosts

    async def delete(self, path: str, token: str) -> None:
        """Delete the object at a path."""
        await self.ask(self.call("DELETE", path, token))

    async def send_file(self, address: str, token: str, media: Media, first: int) -> None:
        """Send a file, starting at byte ``first``, to the URL of an upload session."""
        if not self._hosts.takes_files(address):
            raise no_address(self.http.name)
        headers = {
            "Authorization": f"OAuth {token}",
            "offset": str(first),
            "file_size": str(media.size),
        }
        body = part_of(media, first, media.size - first, "application/octet-stream")
        await self.ask(Call(method="POST", url=address, headers=headers, body=body, secrets=(token,)))
