"""Following the service's change stream across reconnects."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from httpx_sse import ServerSentEvent

from app.client.answers import read_event, require_success
from app.client.errors import ClientError, RetryPolicy
from app.client.wire import Wire
from app.contract.changes import (
    ChangeKind,
    ConnectionChanged,
    DeliveryRecorded,
    MediaChanged,
    PostChanged,
    Reset,
)
from app.contract.limits import COMPANION_PREFIX

EventData = PostChanged | ConnectionChanged | MediaChanged | DeliveryRecorded | Reset

_SILENCE_S: Final = 45.0
"""Time without data after which the stream counts as broken. Our service sends every 4 seconds."""
_ID_MAX: Final = 256
_GIVE_WAY_EVERY: Final = 50
"""Events after which to yield to other tasks: buffered events arrive without any waiting."""
_MODELS: Final[Mapping[ChangeKind, type[EventData]]] = {
    ChangeKind.POST: PostChanged,
    ChangeKind.CONNECTION: ConnectionChanged,
    ChangeKind.MEDIA: MediaChanged,
    ChangeKind.DELIVERY: DeliveryRecorded,
    ChangeKind.RESET: Reset,
}


@dataclass(frozen=True, slots=True)
class ServiceEvent:
    """A change. The stream can resume after it with ``id``."""

    id: str
    data: EventData


def is_event_id(event_id: str) -> bool:
    """Whether an ID can be sent in a header, to resume the stream from it."""
    return (
        0 < len(event_id) <= _ID_MAX
        and event_id.isascii()
        and event_id.isprintable()
        and event_id == event_id.strip()
    )


class EventStream:
    """Implementation of ``ServiceClient.events``."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def follow(
        self, after: str, on_listening: Callable[[bool], None] | None
    ) -> AsyncGenerator[ServiceEvent, None]:
        """See ``ServiceClient.events``."""
        tell = on_listening or _do_nothing
        loop = asyncio.get_running_loop()
        after = after if is_event_id(after) else ""
        failures = count = 0
        while True:
            problem: ClientError | None = None
            began = loop.time()
            try:
                async with aclosing(self._once(after, tell)) as events:
                    async for event in events:
                        count += 1
                        if count % _GIVE_WAY_EVERY == 0:
                            await asyncio.sleep(0)
                        after = event.id if is_event_id(event.id) else after
                        if (known := _read(event)) is not None:
                            yield ServiceEvent(after, known)
            except ClientError as error:
                if not self._retries.is_passing(error):
                    raise
                problem = error
            finally:
                tell(False)
            # Don't reset after one event: a stream that ends after each one would be reopened without delay.
            failures = 1 if loop.time() - began >= self._retries.lasts_from else failures + 1
            await asyncio.sleep(self._retries.before_reconnecting(failures, problem))

    async def _once(self, after: str, tell: Callable[[bool], None]) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield the events of one connection."""
        headers = {"Last-Event-ID": after} if after else {}
        path = f"{COMPANION_PREFIX}/events"
        async with self._wire.listen(path, headers, silence_s=_SILENCE_S) as (answer, events):
            require_success(answer)
            tell(True)
            async for event in events:
                yield event


def _read(event: ServerSentEvent) -> EventData | None:
    """Parse an event; None if its type is unknown."""
    model = _MODELS.get(ChangeKind(event.event))
    return None if model is None else read_event(event.data, model)


def _do_nothing(_listening: bool) -> None:
    return
