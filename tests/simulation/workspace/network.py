"""The network between an app and the service: calls get lost, late or garbled, and streams break."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, MutableMapping
from datetime import datetime
from typing import Any, Final

import httpx
from starlette.applications import Starlette

from app.workspace.clock import to_millis
from tests.simulation.faults import Fault, Faults, Kind, Site
from tests.simulation.lives import Life, outside
from tests.simulation.workspace.book import AppBook, Call, State

Message = MutableMapping[str, Any]

_LATE_S: Final = (20.0, 45.0)
_STATUSES: Final = {
    Kind.ERROR_401: (401, "unauthorized"),
    Kind.ERROR_403: (403, "forbidden"),
    Kind.ERROR_429: (429, "rate_limited"),
    Kind.ERROR_500: (500, "internal_error"),
    Kind.ERROR_503: (503, "internal_error"),
}


class Exchange:
    """One request, carried out even if nobody waits for it. Ends with the life of the service."""

    def __init__(self, app: Starlette, life: Life, request: httpx.Request, body: bytes) -> None:
        self._app = app
        self._scope = _scope(request)
        self._body: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._left = asyncio.Event()
        self._said: asyncio.Queue[Message | None] = asyncio.Queue()
        self.over = life.start(self._app(self._scope, self._receive, self._send))
        self.over.add_done_callback(lambda _: self._said.put_nowait(None))

    def leave(self) -> None:
        """The caller has gone."""
        self._left.set()

    async def next(self) -> Message:
        """What the service says next. Raises ReadError when the connection breaks."""
        said = await self._said.get()
        if said is None:
            raise httpx.ReadError("the service went away")
        return said

    async def whole(self) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Status, headers and body."""
        start, body, more = await self.next(), b"", True
        while more:
            said = await self.next()
            body += said.get("body", b"")
            more = said.get("more_body", False)
        return start["status"], start["headers"], body

    async def _receive(self) -> Message:
        if self._body:
            return self._body.pop()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self._said.put_nowait({**message, "said_at": asyncio.get_running_loop().time()})


def _scope(request: httpx.Request) -> dict[str, Any]:
    url = request.url
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "https",
        "path": url.path,
        "raw_path": url.raw_path.partition(b"?")[0],
        "query_string": url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "server": (url.host, 443),
        "state": {},
    }


Service = Callable[[], tuple[Starlette, Life] | None]


class AppNetwork(httpx.AsyncBaseTransport):
    """The way of one app, at its place; ``is_online`` says whether there is a network at all."""

    def __init__(
        self,
        service: Service,
        life: Life,
        faults: Faults,
        delays: random.Random,
        note: Callable[..., None],
        *,
        is_online: Callable[[], bool],
        book: AppBook,
        under_way: Callable[[int], None],
        may_lose_list: Callable[[], bool],
    ) -> None:
        """``book`` records every change that is asked for.

        ``under_way`` gets 1 when a request is sent, and -1 when it has been carried out.
        """
        self._service = service
        self._life = life
        self._faults = faults
        self._delays = delays
        self._note = note
        self._is_online = is_online
        self._book = book
        self._under_way = under_way
        self._may_lose_list = may_lose_list

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._life.passes()
        body = await request.aread()
        fault = self._faults.at(Site.CALL)
        kind = None if fault is None else fault.kind
        self._note(self._life.name, request.method, request.url.path[:24], kind or "")
        if not self._is_online():
            await asyncio.sleep(0.01)
            raise httpx.ConnectError("no network")
        patience = float(request.extensions["timeout"]["read"])
        call, service_id = self._asked(request, body), request.url.path.rpartition("/")[2]
        try:
            async with asyncio.timeout(patience):
                response = await self._answered(request, body, fault, call)
        except TimeoutError:
            raise httpx.ReadTimeout("no response") from None
        if call is not None and response.is_success and kind is not Kind.GARBLED:
            self._book.answer(service_id, call, asyncio.get_running_loop().time())
        return response

    def _asked(self, request: httpx.Request, body: bytes) -> Call | None:
        """The change of a post that a request asks for, if any."""
        service_id, now = request.url.path.rpartition("/")[2], asyncio.get_running_loop().time()
        if request.method == "DELETE":
            return self._book.send(service_id, State(0, cancelled=True), now)
        if request.method == "PATCH":
            at = to_millis(datetime.fromisoformat(json.loads(body)["scheduled_at"]))
            return self._book.send(service_id, State(at, cancelled=False), now)
        return None

    async def _answered(
        self, request: httpx.Request, body: bytes, fault: Fault | None, call: Call | None
    ) -> httpx.Response:
        there, back = 0.01 + 0.05 * self._delays.random(), 0.01 + 0.05 * self._delays.random()
        if fault is not None:
            await self._before(fault)
            if fault.kind in _STATUSES:
                await asyncio.sleep(there + back)
                await self._passes()
                return _refusal(*_STATUSES[fault.kind], request)
            if fault.kind is Kind.LATE_ARRIVAL:
                self._under_way(1)
                outside(self._arrive_late(request, body, fault.between(*_LATE_S), call))
                raise httpx.ReadError("cut")
        coming = asyncio.shield(outside(self._arrive(request, body, there, call)))
        if fault is not None and fault.kind is Kind.DIE_IN_CALL:
            self._life.perish()
        exchange = await coming
        if "event-stream" in request.headers.get("accept", ""):
            return await self._stream(request, exchange, fault)
        self._under_way(1)
        exchange.over.add_done_callback(lambda _: self._under_way(-1))
        status, headers, answer = await exchange.whole()
        if fault is not None:
            await self._after(fault)
        await asyncio.sleep(back)
        await self._passes()
        return _response(request, status, headers, self._spoilt(request, answer, fault))

    async def _passes(self) -> None:
        await self._life.passes()
        if not self._is_online():
            raise httpx.ReadError("no network")

    async def _before(self, fault: Fault) -> None:
        """Faults that keep the request from arriving."""
        match fault.kind:
            case Kind.DIE_BEFORE_CALL:
                self._life.perish()
            case Kind.UNREACHABLE:
                raise httpx.ConnectError("unreachable")
            case Kind.CUT_BEFORE:
                await asyncio.sleep(fault.between(0.01, 15))
                raise httpx.ReadError("cut")
            case Kind.HANG_BEFORE:
                await asyncio.Event().wait()

    async def _after(self, fault: Fault) -> None:
        """Faults that keep the answer from arriving, or from arriving soon."""
        match fault.kind:
            case Kind.DIE_AFTER_CALL:
                self._life.perish()
            case Kind.CUT_AFTER:
                raise httpx.ReadError("cut")
            case Kind.HANG:
                await asyncio.Event().wait()
            case Kind.SLOW:
                await asyncio.sleep(fault.between(1, 30))
            case Kind.STALL_IN_CALL:
                self._life.stand_still(fault.between(5, 200))

    async def _arrive(self, request: httpx.Request, body: bytes, delay: float, call: Call | None) -> Exchange:
        await asyncio.sleep(delay)
        service = self._service()
        if service is None:
            raise httpx.ConnectError("nobody listens")
        exchange = Exchange(*service, request, body)
        if call is not None:
            exchange.over.add_done_callback(lambda _: _end(call))
        return exchange

    async def _arrive_late(
        self, request: httpx.Request, body: bytes, delay: float, call: Call | None
    ) -> None:
        try:
            exchange = await self._arrive(request, body, delay, call)
            self._note(self._life.name, request.method, "arrived late")
            exchange.leave()
            await exchange.whole()
        except httpx.TransportError:
            return
        finally:
            self._under_way(-1)

    async def _stream(
        self, request: httpx.Request, exchange: Exchange, fault: Fault | None
    ) -> httpx.Response:
        start = await exchange.next()
        events = _Events(exchange, self._passes, fault, float(request.extensions["timeout"]["read"]))
        return _response(request, start["status"], start["headers"], events)

    def _spoilt(self, request: httpx.Request, answer: bytes, fault: Fault | None) -> bytes:
        if fault is not None and fault.kind is Kind.GARBLED:
            return b'{"data": [{"id": 7, "\xff'
        if fault is not None and fault.kind is Kind.EMPTY_LIST and self._is_whole_list(request):
            self._book.emptied.append(asyncio.get_running_loop().time())
            return b'{"data": [], "next_cursor": null}'
        return answer

    def _is_whole_list(self, request: httpx.Request) -> bool:
        is_list = request.method == "GET" and request.url.path.endswith("/posts")
        return is_list and "cursor" not in request.url.params and self._may_lose_list()


def _end(call: Call) -> None:
    call.done_at = asyncio.get_running_loop().time()


class _Events(httpx.AsyncByteStream):
    """A stream of events, which may fall silent, lag, or break after a while."""

    def __init__(
        self, exchange: Exchange, passes: Callable[[], Any], fault: Fault | None, silence_s: float
    ) -> None:
        self._exchange = exchange
        self._passes = passes
        self._silence_s = silence_s
        self._kind = None if fault is None else fault.kind
        self._lag = fault.between(1, 20) if fault is not None and self._kind is Kind.SLOW else 0.0
        breaks = fault is not None and self._kind in (Kind.CUT_AFTER, Kind.DIE_AFTER_CALL, Kind.GARBLED)
        self._breaks_at = (
            asyncio.get_running_loop().time() + fault.between(0.1, 120) if fault and breaks else None
        )

    async def __aiter__(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            said = await self._next()
            await asyncio.sleep(max(0.0, said["said_at"] + self._lag - asyncio.get_running_loop().time()))
            await self._passes()
            more = said.get("more_body", False)
            yield said.get("body", b"")

    async def _next(self) -> Message:
        if self._kind is Kind.HANG:
            await asyncio.sleep(self._silence_s)
            raise httpx.ReadTimeout("silence")
        until = asyncio.get_running_loop().time() + self._silence_s
        try:
            async with asyncio.timeout_at(min(until, self._breaks_at or until)):
                return await self._exchange.next()
        except TimeoutError:
            raise (httpx.ReadError("cut") if self._breaks_at else httpx.ReadTimeout("silence")) from None

    async def aclose(self) -> None:
        self._exchange.leave()


def _response(
    request: httpx.Request,
    status: int,
    headers: list[tuple[bytes, bytes]],
    body: bytes | httpx.AsyncByteStream,
) -> httpx.Response:
    if isinstance(body, bytes):
        kept = [(name, value) for name, value in headers if name != b"content-length"]
        return httpx.Response(status, headers=kept, content=body, request=request)
    return httpx.Response(status, headers=headers, stream=body, request=request)


def _refusal(status: int, code: str, request: httpx.Request) -> httpx.Response:
    error = {"code": code, "message": "Refused on the way."}
    headers = {"retry-after": "3"} if status == 429 else {}
    return httpx.Response(
        status, headers=headers, json={"error": error, "request_id": "req_0"}, request=request
    )
