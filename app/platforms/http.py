"""Calls to the platforms over HTTP, within limits, that say whether a failed call may have arrived.

``wire`` has the transport.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from json import JSONEncoder
from typing import Final, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from app.platforms.base import Chunks, Clock, Departure, FailureKind, PlatformError
from app.platforms.wire import LostError, Request, Timeouts, UnsentError, Wire

# After a lost response, a platform is asked for items since the call began, by our clock. If our clock is
# ahead of the platform's, the item would seem too old, and would be sent again.
Heard = Callable[[str, datetime, float], None]
"""Called with the URL of a request, the time in its response, and the event loop's time of the request."""

_SKEW: Final = timedelta(minutes=2)
"""How far apart clocks may be without this being known."""
_YEARS: Final = range(2020, 2200)
"""Years a platform's clock can show; any other year is an error."""


class TheirClock:
    """How far our clock is ahead of a platform's, by its latest response with a date."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = timedelta()

    def note(self, headers: Mapping[str, str]) -> datetime | None:
        """Record and return the time in a response's headers; None if there is none, or an old one."""
        if "age" in headers:  # from a cache, with the time at which it was put there
            return None
        try:
            theirs = parsedate_to_datetime(headers.get("date", ""))
        except (ValueError, OverflowError):
            return None
        if theirs.year not in _YEARS:
            return None
        if theirs.tzinfo is None:
            theirs = theirs.replace(tzinfo=UTC)
        self._ahead = max(self._clock() - theirs, timedelta())
        return theirs

    def since(self, ours: datetime) -> datetime:
        """Return the earliest time on the platform's clock that corresponds to one on ours.

        Only ever earlier: if our clock is behind now, it may have been right then.
        """
        return ours - _SKEW - self._ahead


M = TypeVar("M", bound=BaseModel)

T = TypeVar("T")

_SLOWEST: Final = 64 * 1024  # lowest upload speed, in bytes per second
_LONGEST_PAUSE: Final = 15.0
_LONGEST_MESSAGE: Final = 500
_SHORTEST_SECRET: Final = 6
_HIDDEN: Final = "[hidden]"
_LONGEST_READ: Final = 8 * 1024  # characters of a message to process
_LONG_WORD: Final = re.compile(r"[\w-]{40,}", re.ASCII)
_DIGIT: Final = re.compile(r"[0-9]")
_LETTER: Final = re.compile(r"[A-Za-z]")
# Uncompressed, so that the size on the wire is the size in memory.
_HEADERS: Final = {"User-Agent": "Kalends", "Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Body:
    """A request body, read while it is sent. ``size`` is in bytes; ``open`` starts at the first."""

    content_type: str
    size: int
    open: Callable[[], AbstractAsyncContextManager[Chunks]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request.

    Attributes:
        creating: For a publishing call, when it may be sent. Such a call must not be repeated if its outcome
            is unknown.
        secrets: Values to hide, because the response may echo them.
    """

    method: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, object] | None = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    body: Body | None = None
    creating: Departure | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, with case-insensitive headers. The body is empty if it was lost or too long."""

    call: Call
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    def read(self, model: type[M]) -> M | None:
        """Parse the body; None if it doesn't match the model."""
        try:
            return model.model_validate_json(self.body)
        except ValidationError:
            return None

    def words(self, text: str) -> str:
        """Return the platform's message, safe to display and store."""
        return plain_words(text, self.call.secrets)


def plain_words(text: str, secrets: Collection[str] = ()) -> str:
    """Return a platform's message as one short line, without secrets and anything that looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    line = " ".join(_LONG_WORD.sub(_without_token, text[:_LONGEST_READ]).split())
    return "".join(filter(str.isprintable, line))[:_LONGEST_MESSAGE]


def _without_token(word: re.Match[str]) -> str:
    """Hide a long word if it contains letters and digits, like tokens do."""
    return _HIDDEN if _DIGIT.search(word[0]) and _LETTER.search(word[0]) else word[0]


@dataclass(frozen=True, slots=True)
class NotYet:
    """A platform isn't done yet; ``seconds`` is how long it asks us to wait."""

    seconds: float


class PlatformHttp:
    """Calls to one platform. ``their_clock`` learns from every response."""

    def __init__(
        self,
        wire: Wire,
        name: str,
        timeouts: Timeouts,
        clock: Clock | None = None,
        heard: Heard | None = None,
    ) -> None:
        self._wire = wire
        self.name = name
        self.timeouts = timeouts
        self._heard = heard
        self.their_clock = TheirClock(clock or partial(datetime.now, UTC))

    async def send(self, call: Call) -> Answer:
        """Return the platform's response, whatever its status.

        Raises PlatformError: TRANSIENT if the call certainly didn't arrive, or isn't a publishing call;
        AMBIGUOUS if a publishing call may have arrived.
        """
        request = _request(call)
        size = call.body.size if call.body else 0
        if call.creating is not None:
            await call.creating.depart()
        try:
            async with asyncio.timeout(self.timeouts.total + size / _SLOWEST):
                if call.body is None:
                    return await self._exchange(call, request)
                async with call.body.open() as chunks:
                    content = chunks if call.creating is None else _while_held(chunks, call.creating)
                    return await self._exchange(call, replace(request, body=content))
        except (LostError, TimeoutError, OSError) as error:
            failure = self._failure(call, error)
        # Raised without its cause, whose repr may contain the request's headers.
        raise failure

    async def until(self, done: Callable[[], Awaitable[T | NotYet | None]]) -> T:
        """Call ``done`` until it returns a result, with growing delays or those the platform asks for.

        Raises PlatformError (TRANSIENT) if it takes too long; try again later.
        """
        pause, waited = self.timeouts.first_look, 0.0
        while (found := await done()) is None or isinstance(found, NotYet):
            asked = found.seconds if found else None
            if waited + (asked or 0) >= self.timeouts.last_look:
                message = f"{self.name} is still processing the file."
                raise PlatformError(FailureKind.TRANSIENT, "still_processing", message, retry_after=asked)
            rest = max(pause, asked or 0)
            await asyncio.sleep(rest)
            waited += rest
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return found

    async def _exchange(self, call: Call, request: Request) -> Answer:
        if call.creating is not None:
            _require(call.creating)
        asked = asyncio.get_running_loop().time()
        reply = await self._wire.exchange(request)
        theirs = self.their_clock.note(reply.headers)
        if theirs is not None and self._heard is not None:
            self._heard(request.url, theirs, asked)
        return Answer(call, reply.status, reply.headers, reply.body)

    def _failure(self, call: Call, error: LostError | OSError) -> PlatformError:
        reason = str(error) if isinstance(error, LostError) else type(error).__name__
        if isinstance(error, UnsentError):
            return PlatformError(
                FailureKind.TRANSIENT, "unreachable", f"{self.name} couldn't be reached ({reason})."
            )
        kind = FailureKind.TRANSIENT if call.creating is None else FailureKind.AMBIGUOUS
        return PlatformError(
            kind, "no_answer", f"The connection to {self.name} ended without a response ({reason})."
        )


_encoded: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _request(call: Call) -> Request:
    """Build the request, without its body if that is sent in chunks."""
    url = f"{call.url}?{urlencode(call.params)}" if call.params else call.url
    if call.body is not None:
        about = {"Content-Type": call.body.content_type, "Content-Length": str(call.body.size)}
        return Request(call.method, url, {**_HEADERS, **about, **call.headers}, None)
    if call.json is not None:
        headers = {**_HEADERS, "Content-Type": "application/json", **call.headers}
        return Request(call.method, url, headers, _encoded(call.json).encode())
    if call.form is not None:
        headers = {**_HEADERS, "Content-Type": "application/x-www-form-urlencoded", **call.headers}
        return Request(call.method, url, headers, urlencode(call.form).encode())
    return Request(call.method, url, {**_HEADERS, **call.headers}, None)


def _require(departure: Departure) -> None:
    """Raise PlatformError (TRANSIENT), having published nothing, if the call may no longer be sent."""
    if not departure.holds():
        raise PlatformError(
            FailureKind.TRANSIENT,
            "stood_still",
            "The program was suspended for too long, so nothing was sent.",
        )


async def _while_held(chunks: Chunks, departure: Departure) -> Chunks:
    """Yield the body of a publishing call; leave it incomplete if the departure no longer holds."""
    async for chunk in chunks:
        _require(departure)
        yield chunk


def bearer(token: str) -> dict[str, str]:
    """Return the header with an access token."""
    return {"Authorization": f"Bearer {token}"}
