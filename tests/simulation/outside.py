"""The network, and behind it the practice platforms, called in place."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from email.utils import format_datetime
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from starlette.applications import Starlette

from app.platforms.wire import LostError, Reply, Request, UnsentError
from tests.simulation.faults import Fault, Faults, Kind, Site
from tests.simulation.lives import Life, WorldClock, outside

PRACTICE: Final = "http://127.0.0.1"

_HANGS_S: Final = 3_600.0
_WITHHELD_S: Final = 120.0
"""How long a platform withholds a field."""


def _problem(status: int, code: int, graph_code: int, words: str) -> tuple[int, bytes]:
    """A refusal that every platform's adapter can read."""
    error = {"code": graph_code, "type": "OAuthException", "message": words}
    body = {"title": words, "detail": words, "message": words, "status": status, "code": code, "error": error}
    return status, json.dumps(body).encode()


_STATUSES: Final[Mapping[Kind, tuple[int, bytes]]] = {
    Kind.ERROR_401: _problem(401, 2, 190, "Unauthorized"),
    Kind.ERROR_403: _problem(403, 29, 200, "You are not permitted to perform this action."),
    Kind.ERROR_429: _problem(429, 8, 32, "Too Many Requests"),
    Kind.ERROR_500: _problem(500, 0, 2, "Internal Server Error"),
    Kind.ERROR_503: (503, b"<html>busy</html>"),
}


Answered = Callable[[str, float, Request], None]
"""Takes the sender of a request, the loop's time at which it was sent, and the request."""


class Platforms:
    """The real practice platforms without a server.

    ``answered`` is called for every request that was carried out.
    """

    def __init__(self, app: Starlette, clock: WorldClock, answered: Answered) -> None:
        self.refused: Counter[str] = Counter()
        """How often each platform said no for good, or something that may have led to that, by a fault."""
        self._app = app
        self._clock = clock
        self._answered = answered
        self._withheld: dict[str, tuple[str, float]] = {}
        """The field that each platform leaves out, and until when."""

    async def answer(self, request: Request, body: bytes, caller: str, sent_at: float) -> Reply:
        """Carry out a request completely, even if the caller stops waiting."""
        parts = urlsplit(request.url)
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [
                (b"host", b"127.0.0.1"),
                *((name.lower().encode(), value.encode()) for name, value in request.headers.items()),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "state": {},
        }
        sent: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        self._answered(caller, sent_at, request)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        headers["date"] = format_datetime(self._clock.now(), usegmt=True)
        answer = b"".join(message.get("body", b"") for message in sent[1:])
        reply = Reply(sent[0]["status"], headers, answer)
        return self._shown(platform_of(request), reply) if request.method == "GET" else reply

    def withhold(self, platform: str, reply: Reply, size: float) -> Reply:
        """Return a list without one of its items' fields, which later answers lack as well for two minutes.

        A platform withholds one field at a time; ``size`` says which.
        """
        _, until = self._withheld.get(platform, ("", 0.0))
        if self._clock.steady() >= until and (names := _listed_fields(reply.body)):
            self._withheld[platform] = names[int(size * len(names))], self._clock.steady() + _WITHHELD_S
        return self._shown(platform, reply)

    def _shown(self, platform: str, reply: Reply) -> Reply:
        name, until = self._withheld.get(platform, ("", 0.0))
        if self._clock.steady() >= until or name not in _fields_of(reply.body):
            return reply
        self.refused[platform] += 1  # as after a field that was dropped once
        body = json.dumps(_cut(json.loads(reply.body), name)).encode()
        return Reply(reply.status, reply.headers, body)


class SimulatedWire:
    """The network between one program and the platforms; its delays and faults come from the seed."""

    def __init__(
        self,
        platforms: Platforms,
        life: Life,
        faults: Faults,
        delays: random.Random,
        note: Callable[..., None],
    ) -> None:
        self._platforms = platforms
        self._life = life
        self._faults = faults
        self._delays = delays
        self._note = note

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def exchange(self, request: Request) -> Reply:
        # Nothing may wait between the caller's last check of its departure and the sending of the request.
        self._life.must_live()
        fault = self._faults.at(Site.CALL)
        platform = platform_of(request)
        self._note(self._life.name, request.method, platform, "" if fault is None else fault.kind)
        there, back = 0.02 + 0.1 * self._delays.random(), 0.02 + 0.1 * self._delays.random()
        body = await _whole(request.body)
        self._life.must_live()
        if fault is not None:
            await self._before(fault)
            if (status := _STATUSES.get(fault.kind)) is not None:
                await asyncio.sleep(there + back)
                await self._life.passes()
                if fault.kind is Kind.ERROR_403:
                    self._platforms.refused[platform] += 1
                return self._refusal(*status)
        reply = outside(self._carry(request, body, self._delay(fault, there)))
        return await self._answer(reply, fault, back, request)

    def _delay(self, fault: Fault | None, there: float) -> float:
        if fault is not None and fault.kind is Kind.LATE_ARRIVAL:
            return fault.between(20, 45)
        return there

    async def _before(self, fault: Fault) -> None:
        """Faults that keep the request from arriving."""
        match fault.kind:
            case Kind.DIE_BEFORE_CALL:
                self._life.perish()
            case Kind.UNREACHABLE:
                raise UnsentError("ClientConnectorError")
            case Kind.CUT_BEFORE:
                await asyncio.sleep(fault.between(0.01, 20))
                raise LostError("ServerDisconnectedError")
            case Kind.HANG_BEFORE:
                await asyncio.sleep(_HANGS_S)

    async def _carry(self, request: Request, body: bytes, delay: float) -> Reply:
        sent_at = asyncio.get_running_loop().time()
        await asyncio.sleep(delay)
        return await self._platforms.answer(request, body, self._life.name, sent_at)

    async def _answer(
        self, coming: asyncio.Task[Reply], fault: Fault | None, back: float, request: Request
    ) -> Reply:
        kind = None if fault is None else fault.kind
        if fault is not None:
            if kind is Kind.DIE_IN_CALL:
                self._life.perish()
            if kind is Kind.LATE_ARRIVAL:
                raise LostError("ServerDisconnectedError")
        reply = await asyncio.shield(coming)
        self._life.must_live()
        if fault is not None:
            await self._after(fault)
            if kind is Kind.DOUBLED and request.method == "GET":
                reply = await outside(self._carry(request, b"", 0.0))
            if kind is Kind.WITHHELD_FIELD and request.method == "GET":
                reply = self._platforms.withhold(platform_of(request), reply, fault.size)
        await asyncio.sleep(back)
        await self._life.passes()
        # Without a field that says "not ready yet", for example, what comes next is refused.
        if kind is Kind.DROPPED_FIELD or (kind is Kind.GARBLED and 400 <= reply.status < 500):
            self._platforms.refused[platform_of(request)] += 1
        if kind is Kind.GARBLED:
            return Reply(reply.status, reply.headers, b'{"data": [{"id": 7, "\xff')
        if fault is not None and kind is Kind.DROPPED_FIELD:
            return Reply(reply.status, reply.headers, _without_field(reply.body, fault.size))
        return reply

    async def _after(self, fault: Fault) -> None:
        """Faults that keep the answer from arriving, or from arriving soon."""
        match fault.kind:
            case Kind.DIE_AFTER_CALL:
                self._life.perish()
            case Kind.CUT_AFTER:
                raise LostError("ServerDisconnectedError")
            case Kind.HANG:
                await asyncio.sleep(_HANGS_S)
            case Kind.SLOW:
                await asyncio.sleep(fault.between(1, 50))
            case Kind.STALL_IN_CALL:
                self._life.stand_still(fault.between(5, 200))

    def _refusal(self, status: int, body: bytes) -> Reply:
        headers = {
            "content-type": "application/json",
            "date": format_datetime(self._life.world_now(), usegmt=True),
        }
        if status == 429:
            headers["retry-after"] = "7"
        return Reply(status, headers, body)


async def _whole(body: bytes | AsyncIterator[bytes] | None) -> bytes:
    if body is None or isinstance(body, bytes):
        return body or b""
    return b"".join([chunk async for chunk in body])


def platform_of(request: Request) -> str:
    """The practice platform that a request goes to."""
    return urlsplit(request.url).path.split("/")[1]


def _without_field(body: bytes, size: float) -> bytes:
    """A JSON answer that lacks one of its fields, wherever that is."""
    names = _fields_of(body)
    if not names:
        return body
    return json.dumps(_cut(json.loads(body), names[int(size * len(names))])).encode()


def _fields_of(body: bytes) -> list[str]:
    """The fields of a JSON answer, at any depth; none if it isn't JSON."""
    try:
        return sorted(_names(json.loads(body)))
    except ValueError:
        return []


def _listed_fields(body: bytes) -> list[str]:
    """The fields of the items that a JSON answer lists."""
    try:
        answer = json.loads(body)
    except ValueError:
        return []
    lists = answer.values() if isinstance(answer, dict) else [answer]
    return sorted(set().union(*(_names(one) for one in lists if isinstance(one, list))))


def _names(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_names, value.values()))
    return set().union(*map(_names, value)) if isinstance(value, list) else set()


def _cut(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _cut(one, name) for key, one in value.items() if key != name}
    return [_cut(one, name) for one in value] if isinstance(value, list) else value
