"""The client side of the stream, in a test: real TLS, one event at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent
from sqlalchemy import select

from app.service.companion.change_log import Position
from app.service.store.tables import changes
from tests.service.running import Caller

_LONGEST_WAIT_S = 14.0
"""Less than the longest silence of a stream, or waiting for what never comes would not end."""


@dataclass
class Stream:
    """An open stream. ``last`` is the id of the last event that was taken from it."""

    response: httpx.Response
    events: Iterator[ServerSentEvent]
    last: str | None

    def next(self) -> ServerSentEvent:
        """The next event; fails when none comes for long."""
        event = next(self.events)
        self.last = event.id
        return event

    def take(self, count: int) -> list[ServerSentEvent]:
        return [self.next() for _ in range(count)]

    def has_ended(self) -> bool:
        """Waits for the end; false when an event comes instead."""
        return next(self.events, None) is None


def events_url(caller: Caller) -> str:
    return f"{caller.service.base_url}/companion/v1/events"


@contextmanager
def listening(caller: Caller, last: str | None = None) -> Iterator[Stream]:
    """A stream of the caller's, resumed where ``last`` is given; cut when the block ends."""
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last is not None else {})}
    timeout = httpx.Timeout(_LONGEST_WAIT_S)
    with caller.http.stream("GET", events_url(caller), headers=headers, timeout=timeout) as response:
        assert response.status_code == 200
        yield Stream(response, EventSource(response).iter_sse(), last)


@contextmanager
def fresh(caller: Caller) -> Iterator[Stream]:
    """A stream that begins now, its first event taken."""
    with listening(caller) as stream:
        first = stream.next()
        assert (first.event, first.data) == ("reset", "{}")
        yield stream


def recorded(caller: Caller) -> list[tuple[str, str]]:
    """Id and kind of every change of the account, as the database has them."""
    own = (
        select(changes)
        .where(changes.c.account_id == caller.account_id)
        .order_by(changes.c.transaction_id, changes.c.seq)
    )
    rows: list[Any] = caller.service.database.read_now(lambda opened: list(opened.execute(own)))
    return [(str(Position(row.transaction_id, row.seq)), row.kind) for row in rows]
