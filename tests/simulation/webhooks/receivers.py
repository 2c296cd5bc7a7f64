"""The receivers, and the network between them and one program."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import httpx

from tests.simulation.faults import Fault, Faults, Kind, Site
from tests.simulation.lives import Life, WorldClock, outside
from tests.simulation.webhooks.plan import SLOTS, Mode

_HANGS_S: Final = 3_600.0
_STATUSES: Final = {Kind.ERROR_500: 500, Kind.ERROR_503: 503, Kind.ERROR_429: 429}
_ANSWERS: Final = {Mode.FAILS: 503, Mode.REFUSES: 410, Mode.REDIRECTS: 302}


@dataclass(eq=False)
class Call:
    """One request that a program has sent. Times are true, in seconds.

    Attributes:
        url: Which also tells the subscription.
        arrived: When the receiver had all of it; None: it never had.
        ended: When its sender stopped waiting; None: it still does, or died.
        status: What the sender saw as an answer; None: nothing.
    """

    life: Life
    url: str
    headers: httpx.Headers
    body: bytes
    departed: float
    arrived: float | None = None
    ended: float | None = None
    status: int | None = None

    @property
    def delivery(self) -> str:
        return self.headers["X-Service-Delivery"].replace("-", "")

    @property
    def event(self) -> str:
        return self.headers["webhook-id"].replace("-", "")

    @property
    def is_test(self) -> bool:
        return self.headers["X-Service-Event"] == "webhook.test"


class Receivers:
    """All receivers of a world.

    Args:
        clock: The true time.
        chance: How long answers take.
        departs: Looks at a call before it is sent.
        arrives: Looks at a call that has arrived.
    """

    def __init__(
        self,
        clock: WorldClock,
        chance: random.Random,
        departs: Callable[[Call], None],
        arrives: Callable[[Call], None],
    ) -> None:
        self.modes = [Mode.TAKES] * SLOTS
        self.clock = clock
        self.departs = departs
        self._chance = chance
        self._arrives = arrives
        self._taken: set[tuple[int, str]] = set()

    def delay(self) -> float:
        return 0.02 + 0.1 * self._chance.random()

    async def answer(self, call: Call, delay: float) -> httpx.Response:
        """What the receiver does, even if nobody waits for it. Raises httpx.TransportError."""
        await asyncio.sleep(delay)
        slot = int(httpx.URL(call.url).host.split(".")[0].rpartition("-")[2])
        mode = self.modes[slot]
        if mode is Mode.GONE:
            raise httpx.ConnectError("refused")
        call.arrived = self.clock.seconds()
        self._arrives(call)
        known = (slot, call.event) in self._taken
        if (status := _ANSWERS.get(mode)) is not None:
            return _answer(status, {"location": f"https://slot-{slot}.example/elsewhere"})
        if mode is Mode.BREAKS:
            raise httpx.RemoteProtocolError("the peer closed the connection")
        if mode is Mode.HANGS:
            await asyncio.sleep(_HANGS_S)
        if mode is Mode.SLOW:
            await asyncio.sleep(self._chance.uniform(0.5, 9))
        self._taken.add((slot, call.event))
        if mode is Mode.LIES and known:
            return _answer(410)
        return _answer(200, drips=mode is Mode.DRIPS)


def _answer(status: int, headers: Mapping[str, str] | None = None, *, drips: bool = False) -> httpx.Response:
    return httpx.Response(status, headers=headers, stream=_Body(drips=drips))


class _Body(httpx.AsyncByteStream):
    """An empty body, or one that never ends."""

    def __init__(self, *, drips: bool) -> None:
        self._drips = drips

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self._drips:
            await asyncio.sleep(0.3)
            yield b"drip"


class SimulatedNetwork(httpx.AsyncBaseTransport):
    """The way from one program to the receivers; its delays and faults come from the seed."""

    def __init__(self, receivers: Receivers, life: Life, faults: Faults, note: Callable[..., None]) -> None:
        self._receivers = receivers
        self._life = life
        self._faults = faults
        self._note = note

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # Nothing may wait between the caller's last look and the request's departure.
        self._life.must_live()
        fault = self._faults.at(Site.CALL)
        now = self._receivers.clock.seconds
        call = Call(self._life, str(request.url), request.headers, await request.aread(), now())
        self._note(self._life.name, "calls", call.url, "" if fault is None else fault.kind)
        self._receivers.departs(call)
        try:
            answer = await self._exchange(call, fault)
            call.status = answer.status_code
        finally:
            if not self._life.is_dead:
                call.ended = now()
        return answer

    async def _exchange(self, call: Call, fault: Fault | None) -> httpx.Response:
        there, back = self._receivers.delay(), self._receivers.delay()
        if fault is not None:
            await self._before(fault)
            if (status := _STATUSES.get(fault.kind)) is not None:
                await asyncio.sleep(there + back)
                await self._life.passes()
                return _answer(status)
            if fault.kind is Kind.LATE_ARRIVAL:
                there = fault.between(20, 45)
        coming = outside(self._receivers.answer(call, there))
        if fault is not None and fault.kind is Kind.DIE_IN_CALL:
            self._life.perish()
        if fault is not None and fault.kind is Kind.LATE_ARRIVAL:
            raise httpx.ReadError("reset")
        answer = await asyncio.shield(coming)
        self._life.must_live()
        if fault is not None:
            await self._after(fault)
        await asyncio.sleep(back)
        await self._life.passes()
        return answer

    async def _before(self, fault: Fault) -> None:
        """Faults that keep the request from arriving."""
        match fault.kind:
            case Kind.DIE_BEFORE_CALL:
                self._life.perish()
            case Kind.UNREACHABLE:
                raise httpx.ConnectError("no route")
            case Kind.CUT_BEFORE:
                await asyncio.sleep(fault.between(0.01, 20))
                raise httpx.ReadError("reset")
            case Kind.HANG_BEFORE:
                await asyncio.sleep(_HANGS_S)

    async def _after(self, fault: Fault) -> None:
        """Faults that keep the answer from arriving, or from arriving soon."""
        match fault.kind:
            case Kind.DIE_AFTER_CALL:
                self._life.perish()
            case Kind.CUT_AFTER:
                raise httpx.ReadError("reset")
            case Kind.HANG:
                await asyncio.sleep(_HANGS_S)
            case Kind.SLOW:
                await asyncio.sleep(fault.between(1, 50))
            case Kind.STALL_IN_CALL:
                self._life.stand_still(fault.between(5, 200))
