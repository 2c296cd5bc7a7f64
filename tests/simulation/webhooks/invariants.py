"""What must hold, whatever goes wrong. Each rule names the sentence that promises it."""

import base64
import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, select

from app.contract.webhooks import TEST_EVENT, CreatedWebhookSubscription
from app.service.store.tables import deliveries, events, webhook_subscriptions
from tests.simulation.lives import Life
from tests.simulation.room import Breach
from tests.simulation.webhooks.ground import subscription_id
from tests.simulation.webhooks.program import SETTINGS
from tests.simulation.webhooks.receivers import Call

_LEASE_S: Final = SETTINGS.lease.total_seconds()
_CALL_S: Final = 10.0
_DISABLED_AT: Final = 10
_RETRIES: Final = 3
_JITTER: Final = 0.8
_PROMPT_S: Final = 2.0
_SETTLED_S: Final = 30.0
"""By when an attempt is written down, if its program lives and the store takes it."""


class Rule(StrEnum):
    """The invariants; the value is the figure that counts breaches."""

    LOST = "lost"
    """Specification, Events: a POST "to each active subscription subscribed to the event type". Delivery
    rules 1 and 2: it ends delivered, refused, after three retries, or with a subscription that is off."""
    OVERRUN = "overrun"
    """Delivery rule 1: "retried up to 3 times"; `docs/webhooks.md`: 4xx and 3xx aren't
    retried."""
    HASTY = "hasty"
    """Delivery rule 1: "with exponential backoff"; `docs/webhooks.md`: "retries after about
    10, 60 and 300 seconds"."""
    UNLOGGED = "unlogged"
    """Delivery rule 4: "Each attempt is recorded in the delivery log"."""
    MISREPORTED = "misreported"
    """Specification, Webhook delivery record: `status_code` is the "HTTP status returned by the endpoint",
    `attempt` the "Attempt counter for the event"."""
    FORGED = "forged"
    """Specification, Delivery request headers: the HMAC-SHA256 of the raw body, keyed with the secret of the
    subscription; the headers name the event type and the delivery."""
    MISCOUNTED = "miscounted"
    """Delivery rule 2: "After 10 consecutive failures the subscription is disabled"; PATCH with `active` true
    "resets `failure_count` to 0 and clears `last_disabled_at`"."""
    AFTER_OFF = "after_off"
    """Specification, Events: only "active" subscriptions; Webhook delete result: the subscription is gone."""
    TOGETHER = "together"
    """`docs/webhooks.md`: "Each endpoint gets one delivery at a time"."""
    HELD_UP = "held_up"
    """`docs/webhooks.md`: "A slow or dead endpoint doesn't delay deliveries to others." Without faults."""


@dataclass(frozen=True)
class Audited:
    """What a transaction did; see ``ground``."""

    at: float
    kind: str
    subscription: str
    subject: str | None
    a: Any
    b: Any
    c: Any


def at_departure(
    call: Call, number: int, others: Sequence[Call], audit: Sequence[Audited]
) -> Iterator[Breach]:
    """What must hold when a program sends a request; ``audit`` is what became of its subscription."""
    if call.is_test:
        return
    off = _off_since(audit)
    if off is not None and not (off.c and call.departed - off.at <= _LEASE_S):
        yield Breach(Rule.AFTER_OFF, number, f"sent {call.departed - off.at:.1f} s after it was {off.kind}")
    for other in others:
        if (
            other.ended is None
            and not other.life.is_dead
            and call.departed - other.departed < _LEASE_S - _CALL_S
        ):
            seen = f"{call.life.name} and {other.life.name} call {call.url}"
            yield Breach(Rule.TOGETHER, number, seen)


def at_claimed_departure(call: Call, number: int, claimed_until_ms: int | None) -> Iterator[Breach]:
    """What must hold where several programs share a store: who delivers has a claim."""
    if claimed_until_ms is None or claimed_until_ms / 1000 <= call.departed:
        yield Breach(Rule.TOGETHER, number, f"{call.life.name} calls {call.url} without a claim")


def _off_since(audit: Sequence[Audited]) -> Audited | None:
    off: Audited | None = None
    for one in audit:
        if one.kind in {"health", "subscribed", "deleted"}:
            off = None if one.a else off or one
    return off


def at_arrival(call: Call, number: int, made: CreatedWebhookSubscription) -> Iterator[Breach]:
    """What a receiver that checks everything finds."""
    headers, body = call.headers, json.loads(call.body)
    signed = hmac.new(made.secret.encode(), call.body, hashlib.sha256).hexdigest()
    standard = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + call.body
    key = base64.b64decode(made.secret.removeprefix("whsec_"))
    expected = {
        "X-Service-Signature": f"sha256={signed}",
        "X-Service-Event": body["event_type"],
        "X-Service-Delivery": body["delivery_id"],
        "webhook-id": body["event_id"],
        "webhook-signature": f"v1,{base64.b64encode(hmac.digest(key, standard, hashlib.sha256)).decode()}",
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhook/1.0",
    }
    wrong = [name for name, value in expected.items() if headers[name] != value]
    if wrong:
        yield Breach(Rule.FORGED, number, f"{', '.join(wrong)} of {call.url}")


@dataclass
class Stored:
    """What the store says at the end. Ids are hexadecimal, as it keeps them."""

    deliveries: Mapping[str, Any]
    numbers: Mapping[str, int]
    subscriptions: Collection[str]
    happened: Mapping[str, datetime]

    @classmethod
    def read(cls, rows: Connection) -> "Stored":
        found = {row.id.hex: row for row in rows.execute(select(deliveries).order_by(deliveries.c.attempt))}
        told = rows.execute(
            select(events.c.id, events.c.data, events.c.created_at).where(events.c.type != TEST_EVENT)
        ).all()
        numbers = {row.id.hex: UUID(json.loads(row.data)["post_id"]).int for row in told}
        kept = {one.hex for one in rows.scalars(select(webhook_subscriptions.c.id))}
        return cls(found, numbers, kept, {row.id.hex: row.created_at for row in told})


@dataclass(frozen=True)
class Death:
    """The end of a program, at a true time; ``awake_s`` is how long it hadn't stood still."""

    life: Life
    at: float
    awake_s: float


@dataclass
class Judgement:
    """What came of a run."""

    store: Stored
    audit: Sequence[Audited]
    calls: Sequence[Call]
    replays: Mapping[tuple[str, str], int]
    tests: Collection[str]
    died: Sequence[Death]
    is_calm: bool
    breaches: list[Breach] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    branches: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)

    def judge(self) -> None:
        """Looks at everything."""
        self._sent = defaultdict[str, list[Call]](list)
        for call in self.calls:
            self._sent[call.delivery].append(call)
        self._of_pair = defaultdict[tuple[str, str], list[Any]](list)
        for row in self.store.deliveries.values():
            self._of_pair[row.subscription_id.hex, row.event_id.hex].append(row)
        self._disabled_by = set[str]()
        self._follow_health()
        for one in self.audit:
            if one.kind == "expected":
                self._judge_pair(one)
        for call in self.calls:
            self._judge_call(call)

    def _breach(self, rule: Rule, event: str, seen: str) -> None:
        self.breaches.append(Breach(rule, self.store.numbers.get(event, -1), seen))

    def _follow_health(self) -> None:
        """Count failures as specified, to compare with the store's count."""
        active, failures = defaultdict[str, bool](lambda: True), Counter[str]()
        made: dict[str, Audited] = {}
        for one in self.audit:
            its = one.subscription
            if one.kind == "made":
                made[its] = one
                self.branches["delivered" if one.a else "failed"] += 1
                if one.c:
                    self.branches["made although dropped"] += 1
                    self._disabled_by.add(str(one.subject))
                failures[its] = 0 if one.a else failures[its] + 1
            elif one.kind == "dropped":
                self.branches["dropped"] += 1
            elif one.kind == "deleted":
                self.branches["subscription deleted"] += 1
            elif one.kind == "health" and its in made:
                attempt = made.pop(its)
                disables = active[its] and not attempt.a and failures[its] >= _DISABLED_AT
                if not active[its] or disables:
                    self._disabled_by.add(str(attempt.subject))
                if disables:
                    self.branches["subscription disabled"] += 1
                active[its] = active[its] and not disables
                self._check_health(one, active=active[its], failures=failures[its], disables=disables)
            elif one.kind == "health":
                self.branches[f"switched {'on' if one.a else 'off'}"] += 1
                active[its] = bool(one.a)
                failures[its] = 0 if one.a else failures[its]
                self._check_health(one, active=active[its], failures=failures[its], disables=False)

    def _check_health(self, one: Audited, *, active: bool, failures: int, disables: bool) -> None:
        is_marked = one.subject is not None
        if (
            (bool(one.a), one.b) != (active, failures)
            or (disables and not is_marked)
            or (active and is_marked)
        ):
            seen = f"active {one.a}, failures {one.b}; expected {active}, {failures}, marked {is_marked}"
            self.breaches.append(Breach(Rule.MISCOUNTED, -1, f"{one.subscription[-4:]}: {seen}"))

    def _judge_pair(self, expected: Audited) -> None:
        """One event and one subscription that it must reach."""
        subscription, event = expected.subscription, str(expected.subject)
        rows = self._of_pair[subscription, event]
        if subscription not in self.store.subscriptions:
            self.endings["deleted"] += 1
            return
        chain = "; ".join(f"{row.attempt}/{row.retry} {row.status_code} {row.error_message}" for row in rows)
        if not rows or any(row.next_attempt_at is not None for row in rows):
            self._breach(Rule.LOST, event, f"{len(rows)} attempts, the last one waits; {chain}")
            return
        self._check_chain(event, subscription, rows, chain)
        self._measure(expected, rows)
        if any(row.delivered_at for row in rows):
            self.endings["delivered"] += 1
        elif all(row.latency_ms is None for row in rows):
            self.endings["dropped"] += 1
        else:
            self.endings["given up"] += 1

    def _check_chain(self, event: str, subscription: str, rows: Sequence[Any], chain: str) -> None:
        by_retry = Counter(row.retry for row in rows)
        asked = 1 + self.replays.get((subscription, event), 0)
        if max(by_retry) > _RETRIES or any(count > asked for count in by_retry.values()):
            self._breach(Rule.OVERRUN, event, f"{dict(by_retry)} retries of {asked} dispatches; {chain}")
        if [row.attempt for row in rows] != list(range(1, len(rows) + 1)):
            self._breach(Rule.MISREPORTED, event, f"attempts are counted {chain}")
        for retry in range(_RETRIES + 1):
            wanted = sum(self._asks_for_retry(row) for row in rows if row.retry == retry)
            if retry < _RETRIES and by_retry[retry + 1] < wanted:
                self._breach(Rule.LOST, event, f"{wanted} failed, {by_retry[retry + 1]} retried; {chain}")
            if retry < _RETRIES and by_retry[retry + 1] > wanted:
                self._breach(Rule.OVERRUN, event, f"retried what was not to be; {chain}")

    def _asks_for_retry(self, row: Any) -> bool:
        """Whether the row says that it failed in a way that passes, while the subscription was active."""
        if row.latency_ms is None or row.delivered_at or row.id.hex in self._disabled_by:
            return False
        return row.status_code is None or row.status_code >= 500

    def _measure(self, expected: Audited, rows: Sequence[Any]) -> None:
        """How late the first call was; how long retries waited."""
        first = [call for row in rows if row.attempt == 1 for call in self._sent[row.id.hex]]
        if first:
            self.late.append(first[0].departed - expected.at)
        if not self.is_calm:
            return
        event = str(expected.subject)
        for earlier, later in pairwise(rows):
            before, after = self._sent[earlier.id.hex], self._sent[later.id.hex]
            if later.retry == earlier.retry + 1 and before and after:
                waited = after[0].departed - before[-1].departed
                if waited < _JITTER * SETTINGS.backoff[earlier.retry]:
                    self._breach(Rule.HASTY, event, f"retry {later.retry} after {waited:.1f} s")
        if first:
            self._check_delay(event, expected, first[0])

    def _check_delay(self, event: str, expected: Audited, first: Call) -> None:
        """Nothing but its own receiver may have kept a delivery waiting."""
        busy = [
            call for call in self.calls
            if call.url == first.url and expected.at - _CALL_S < call.departed < first.departed
        ]  # fmt: skip
        since = max([expected.at, *(call.ended or call.departed for call in busy)])
        if first.departed - since > _PROMPT_S:
            self._breach(Rule.HELD_UP, event, f"{first.departed - since:.1f} s for {first.url}")

    def _judge_call(self, call: Call) -> None:
        """What was sent is in the log, with what came of it."""
        subscription = subscription_in(call)
        if subscription not in self.store.subscriptions or call.ended is None or self._died_soon(call):
            return
        if call.is_test and call.delivery not in self.tests:
            return  # its caller got an error or no answer
        row = self.store.deliveries.get(call.delivery)
        if row is None or row.latency_ms is None:
            said = "nothing" if row is None else row.error_message
            self._breach(Rule.UNLOGGED, call.event, f"sent, answered {call.status}; the log says {said}")
        elif len(self._sent[call.delivery]) == 1 and row.status_code != call.status and not _timed_out(call):
            self._breach(Rule.MISREPORTED, call.event, f"answered {call.status}; logged {row.status_code}")
        elif len(self._sent[call.delivery]) == 1 and bool(row.delivered_at) == bool(row.failed_at):
            self._breach(Rule.MISREPORTED, call.event, f"{row.delivered_at} and {row.failed_at}")

    def _died_soon(self, call: Call) -> bool:
        """Whether the program died before it can be expected to have written down what came of a call."""
        ended = call.ended or call.departed
        return any(
            one.life is call.life and (one.at < ended + _SETTLED_S or one.awake_s < _SETTLED_S)
            for one in self.died
        )


def _timed_out(call: Call) -> bool:
    """An answer that came in the very moment in which its sender gave up."""
    return call.status is not None and call.ended is not None and call.ended - call.departed >= _CALL_S


def subscription_in(call: Call) -> str:
    """The id of the subscription that a call is for."""
    slot, generation = call.url.removeprefix("https://slot-").split(".example/")
    return subscription_id(int(slot), int(generation)).hex
