"""Calls to the platforms over HTTP: bounded, and clear about whether a call may have arrived.

What carries them is in ``wire``.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from json import JSONEncoder
from typing import Final, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from app.platforms.base import Chunks, Clock, Departure, FailureKind, PlatformError
from app.platforms.their_clock import Heard, TheirClock
from app.platforms.wire import LostError, Request, Timeouts, UnsentError, Wire

M = TypeVar("M", bound=BaseModel)

T = TypeVar("T")

_SLOWEST: Final = 64 * 1024  # bytes a second that an upload may take
_LONGEST_PAUSE: Final = 15.0
_LONGEST_MESSAGE: Final = 500
_SHORTEST_SECRET: Final = 6
_HIDDEN: Final = "[hidden]"
_LONGEST_READ: Final = 8 * 1024  # characters of a message that are looked at
_LONG_WORD: Final = re.compile(r"[\w-]{40,}", re.ASCII)
_DIGIT: Final = re.compile(r"[0-9]")
_LETTER: Final = re.compile(r"[A-Za-z]")
# Uncompressed, so that the size on the wire is the size in memory.
_HEADERS: Final = {"User-Agent": "Kalends", "Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes to send, read while they are sent. ``size`` is their number; ``open`` begins at the first."""

    content_type: str
    size: int
    open: Callable[[], AbstractAsyncContextManager[Chunks]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request.

    Attributes:
        creating: Set for a call that publishes: when that may be sent. A call whose outcome is unknown must
            not be repeated.
        secrets: What an answer may echo and nobody may read.
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
    """What came back; header names in any case. A body that was lost or is too long is empty."""

    call: Call
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    def read(self, model: type[M]) -> M | None:
        """The body as a model; None when it is something else."""
        try:
            return model.model_validate_json(self.body)
        except ValidationError:
            return None

    def words(self, text: str) -> str:
        """The platform's words, fit to be shown and stored."""
        return plain_words(text, self.call.secrets)


def plain_words(text: str, secrets: Collection[str] = ()) -> str:
    """A platform's words as one short line, without secrets and without what looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    line = " ".join(_LONG_WORD.sub(_without_token, text[:_LONGEST_READ]).split())
    return "".join(filter(str.isprintable, line))[:_LONGEST_MESSAGE]


def _without_token(word: re.Match[str]) -> str:
    """A long word, hidden when it has letters and digits, as tokens do."""
    return _HIDDEN if _DIGIT.search(word[0]) and _LETTER.search(word[0]) else word[0]


@dataclass(frozen=True, slots=True)
class NotYet:
    """A platform is not done; ``seconds`` is how long it wants to be left alone."""

    seconds: float


class PlatformHttp:
    """The way to one platform. ``their_clock`` learns from every answer."""

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
        self.their_clock = TheirClock(clock or partial(datetime.now, UTC), heard)

    async def send(self, call: Call) -> Answer:
        """The platform's answer, whatever its status.

        Raises PlatformError: TRANSIENT when the call surely did not arrive, or creates nothing; AMBIGUOUS
        when a creating call may have arrived.
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
        # Raised without its cause, whose representation may hold the request's headers.
        raise failure

    async def until(self, done: Callable[[], Awaitable[T | NotYet | None]]) -> T:
        """Asks until the answer is something, waiting longer each time, or as long as the platform says.

        Raises PlatformError (TRANSIENT) when it takes too long; asking again later is what helps.
        """
        pause, waited = self.timeouts.first_look, 0.0
        while (found := await done()) is None or isinstance(found, NotYet):
            asked = found.seconds if found else None
            if waited + (asked or 0) >= self.timeouts.last_look:
                message = f"{self.name} still works on the file."
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
        self.their_clock.note(reply.headers.get("date", ""), asked)
        return Answer(call, reply.status, reply.headers, reply.body)

    def _failure(self, call: Call, error: LostError | OSError) -> PlatformError:
        reason = str(error) if isinstance(error, LostError) else type(error).__name__
        if isinstance(error, UnsentError):
            return PlatformError(
                FailureKind.TRANSIENT, "unreachable", f"{self.name} could not be reached ({reason})."
            )
        kind = FailureKind.TRANSIENT if call.creating is None else FailureKind.AMBIGUOUS
        return PlatformError(
            kind, "no_answer", f"The connection to {self.name} ended without an answer ({reason})."
        )


_encoded: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _request(call: Call) -> Request:
    """The call as it is sent; without its body where that comes in chunks."""
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
    """Raise PlatformError (TRANSIENT) when nothing may be sent any more: nothing was published then."""
    if not departure.holds():
        raise PlatformError(
            FailureKind.TRANSIENT, "stood_still", "The program stood still for too long, so nothing was sent."
        )


async def _while_held(chunks: Chunks, departure: Departure) -> Chunks:
    """The body of a publishing call, which stays incomplete when the departure no longer holds."""
    async for chunk in chunks:
        _require(departure)
        yield chunk


def bearer(token: str) -> dict[str, str]:
    """The header of a call in somebody's name."""
    return {"Authorization": f"Bearer {token}"}
