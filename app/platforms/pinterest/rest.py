"""Calls to Pinterest's API v5, and its error responses."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, Field

from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.card import Hosts
from app.platforms.http import Answer, Body, Call, PlatformHttp
from app.platforms.responses import kind_of, retry_after
from app.platforms.rest import RestApi

# Words in error messages, the more specific ones first.
_WORDS: Final[Mapping[str, Cause]] = {
    "board": Cause.BOARD,
    "cover": Cause.FILE,
    "image": Cause.FILE,
    "video": Cause.FILE,
    "link": Cause.LINK,
    "title": Cause.TITLE,
    "description": Cause.TEXT,
}
PinterestId = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class Refusal(BaseModel):
    """The body of every error response."""

    code: int | None = None
    message: str | None = None


class PinterestRest(RestApi):
    """Calls with an access token."""

    def __init__(self, http: PlatformHttp, hosts: Hosts) -> None:
        super().__init__(http, f"{hosts.api}/{hosts.version}", refused)
        self.hosts = hosts

    async def send_form(self, address: str, body: Body) -> None:
        """Upload a file to Pinterest's storage, which authenticates by the form's fields."""
        await self.ask(Call(method="POST", url=address, body=body))


def refused(answer: Answer) -> PlatformError:
    """Convert an error response."""
    refusal = answer.read(Refusal) or Refusal()
    message = refusal.message or f"Pinterest answered {answer.status}."
    code = f"http_{answer.status}" if refusal.code is None else str(refusal.code)
    kind, cause = _meaning(answer, message.lower())
    return PlatformError(
        kind, answer.words(code), answer.words(message), retry_after=_wait(answer), cause=cause
    )


def _meaning(answer: Answer, message: str) -> tuple[FailureKind, Cause | None]:
    """Interpret the message, because Pinterest's error numbers aren't documented."""
    if answer.status == 429 and "spam" in message:
        return FailureKind.QUOTA, Cause.SPAM  # a short wait doesn't help
    if answer.status == 400 and "unable to reach the url" in message:
        return FailureKind.TRANSIENT, Cause.FILE_ADDRESS
    kind = kind_of(answer)
    if kind is FailureKind.INVALID:
        return kind, next((cause for word, cause in _WORDS.items() if word in message), None)
    return kind, None


def _wait(answer: Answer) -> float | None:
    """Return the seconds until calls are accepted again, from the standard header or Pinterest's own."""
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.status == 429 and reset.isascii() and reset.isdigit() and len(reset) < 8:
        return float(reset)
    return retry_after(answer)
