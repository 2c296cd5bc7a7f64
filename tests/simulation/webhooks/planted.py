"""Faults planted in the product, to see that the simulation finds them."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy import Connection, select

from app.service.store.tables import deliveries
from app.service.webhooks import delivery_worker, queue, sender
from app.service.webhooks.delivery_worker import DeliveryWorker
from app.service.webhooks.sender import Due, Health, MessageSender, Sent, Verdict, signature

Plant = Callable[[], AbstractContextManager[object]]


def retries_forgotten() -> AbstractContextManager[object]:
    """What failed is not tried again."""
    return patch.object(queue, "retry_at", lambda *_: None)


def retries_without_end() -> AbstractContextManager[object]:
    """Nothing counts how often a delivery was tried."""

    def retry_at(_retry: int, verdict: Verdict, now: datetime, *_: Any) -> datetime | None:
        return now + timedelta(seconds=10) if verdict.passing else None

    return patch.object(queue, "retry_at", retry_at)


def refusals_not_counted() -> AbstractContextManager[object]:
    """A 4xx doesn't count as a failure of the subscription."""

    def after(self: Health, verdict: Verdict, at: datetime) -> Health:
        return self if (verdict.status_code or 500) < 500 and verdict.problem else real(self, verdict, at)

    real = Health.after
    return patch.object(Health, "after", after)


def claims_ignored() -> AbstractContextManager[object]:
    """A worker takes turns that others have."""

    def claim(rows: Connection, *rest: Any) -> list[Due]:
        queue.release_all(rows)
        return real(rows, *rest)

    real = queue.claim
    return patch.object(delivery_worker, "claim", claim)


def one_after_the_other() -> AbstractContextManager[object]:
    """A delivery waits for those to others."""

    async def deliver(self: MessageSender, due: Due) -> Sent:
        async with locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            return await real(self, due)

    real, locks = MessageSender.deliver, dict[asyncio.AbstractEventLoop, asyncio.Lock]()
    return patch.object(MessageSender, "deliver", deliver)


def signed_by_the_event() -> AbstractContextManager[object]:
    """The signature covers another body than the one that is sent."""
    return patch.object(sender, "signature", lambda secret, body: signature(secret, body.strip(b"}")))


def lost_answers_taken_for_success() -> AbstractContextManager[object]:
    """A broken connection counts as delivered."""

    async def deliver(self: MessageSender, due: Due) -> Sent:
        sent = await deliver_once(self, due)
        is_lost = sent.verdict.status_code is None and sent.verdict.passing
        return replace(sent, verdict=Verdict(204)) if is_lost else sent

    deliver_once = MessageSender.deliver
    return patch.object(MessageSender, "deliver", deliver)


def outcome_of_the_dropped_forgotten() -> AbstractContextManager[object]:
    """What was under way when it was dropped stays "not sent" in the log."""

    def settle(rows: Connection, by: Any, due: Due, sent: Sent, *, go_on: bool) -> Due | None:
        waits = select(deliveries.c.next_attempt_at).where(deliveries.c.id == due.id)
        if rows.scalar(waits) is None:
            queue.release(rows, by, due.subscription_id)
            return None
        return settle_all(rows, by, due, sent, go_on=go_on)

    settle_all = queue.settle
    return patch.object(delivery_worker, "settle", settle)


def sent_after_the_claim() -> AbstractContextManager[object]:
    """Who stood still sends what others may have by now."""
    return patch.object(DeliveryWorker, "_is_held", lambda *_: True)


def clock_not_followed() -> AbstractContextManager[object]:
    """What a clock put off that was ahead waits until that time has come."""
    return patch.object(delivery_worker, "move_back", lambda *_: None)


def own_turns_taken_again() -> AbstractContextManager[object]:
    """A turn whose claim has run out is begun a second time."""
    taken = queue.claim
    return patch.object(
        delivery_worker, "claim", lambda rows, by, now, room, _busy: taken(rows, by, now, room)
    )


_USUAL: Final = "all=2"
PLANTED: Final[Mapping[Plant, str]] = MappingProxyType(
    {
        retries_forgotten: _USUAL,
        retries_without_end: _USUAL,
        refusals_not_counted: _USUAL,
        claims_ignored: _USUAL,
        one_after_the_other: "",
        signed_by_the_event: _USUAL,
        lost_answers_taken_for_success: _USUAL,
        outcome_of_the_dropped_forgotten: _USUAL,
        sent_after_the_claim: "all=2,stall_in_write=0.02",
        clock_not_followed: "all=2,clock=0.1",
        own_turns_taken_again: "all=2,clock=0.1",
    }
)
"""With the rates at which each is looked for; it is found within 2,000 events."""
FOUND_SOON: Final = frozenset({one_after_the_other})
"""The suite plants these; the whole run plants all."""
