"""A single delivery: its signed message, sending it, judging the response, and scheduling a retry."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

import structlog

from app.contract.limits import (
    WEBHOOK_FAILURES_UNTIL_DISABLED,
    WEBHOOK_RETRIES,
    WEBHOOK_SECRET_PREFIX,
    WEBHOOK_TEST_TIMEOUT,
)
from app.contract.webhooks import (
    DELIVERY_HEADER,
    EVENT_HEADER,
    SIGNATURE_HEADER,
    SIGNATURE_PREFIX,
    USER_AGENT,
    Event,
)
from app.service.clock import Clock
from app.service.outbound import AddressRefusedError, OutboundClient, OutboundError, OutboundTimeoutError
from app.service.store.seal import Seal, SealBrokenError

# Each has two signatures: one in GitHub's style, and one of Standard Webhooks.
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a new secret: ``whsec_`` and 32 random bytes in base64, as in Standard Webhooks."""
    return WEBHOOK_SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature(secret: str, body: bytes) -> str:
    """Return ``sha256=`` and the hexadecimal HMAC-SHA256 of the body, keyed with the secret's text."""
    return SIGNATURE_PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, message_id: str, at: datetime, body: bytes) -> str:
    """Return the ``webhook-signature`` of Standard Webhooks 1.0, keyed with the bytes after the prefix."""
    key = base64.b64decode(secret.removeprefix(WEBHOOK_SECRET_PREFIX))
    signed = f"{message_id}.{unix_seconds(at)}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def unix_seconds(at: datetime) -> int:
    """Return whole seconds since 1970, as in ``webhook-timestamp``."""
    return int(at.timestamp())


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery to make now.

    Attributes:
        retry: 0 for the first attempt.
        data: The event's ``data`` as JSON.
        secret: The subscription's secret, encrypted.
        claimed_until: Until when no other worker delivers to the subscription; None without a claim.
    """

    id: UUID
    subscription_id: UUID
    event_id: UUID
    event_type: str
    retry: int
    data: str
    event_created_at: datetime
    url: str
    secret: bytes = field(repr=False)
    claimed_until: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One request. The body is serialized once, and exactly these bytes are signed, sent and stored."""

    body: bytes
    headers: dict[str, str]

    @classmethod
    def of(cls, due: Due, secret: str, at: datetime) -> Self:
        """Build the message of a delivery sent ``at`` this time, which Standard Webhooks signs too."""
        event = Event(
            event_type=due.event_type,
            event_id=str(due.event_id),
            delivery_id=str(due.id),
            created_at=due.event_created_at,
            data=json.loads(due.data),
        )
        body = event.model_dump_json().encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            EVENT_HEADER: event.event_type,
            DELIVERY_HEADER: event.delivery_id,
            SIGNATURE_HEADER: signature(secret, body),
            "webhook-id": event.event_id,
            "webhook-timestamp": str(unix_seconds(at)),
            "webhook-signature": standard_signature(secret, event.event_id, at, body),
        }
        return cls(body, headers)


Roll = Callable[[], float]
"""Returns a random number in [0, 1)."""

_JITTER: Final = 0.2
"""Maximum deviation of a delay from the backoff, as a fraction."""

_log = structlog.get_logger(__name__)

TIMEOUT: Final[timedelta] = WEBHOOK_TEST_TIMEOUT
"""How long an endpoint may take to respond, including the DNS lookup."""

_UNREADABLE: Final = (
    "The secret can't be decrypted with this installation's key. Delete the webhook and create it again."
)
_BROKEN: Final = "Something went wrong inside the service."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of an attempt. It was delivered if ``problem`` is empty.

    Attributes:
        status_code: The endpoint's status; None if it didn't respond.
        problem: What went wrong, as a sentence.
        passing: Whether a retry may help.
    """

    status_code: int | None = None
    problem: str | None = None
    passing: bool = False

    @property
    def delivered(self) -> bool:
        return self.problem is None


@dataclass(frozen=True, slots=True)
class Sent:
    """One attempt: its verdict and times, and the message sent, or None if it couldn't be built."""

    verdict: Verdict
    message: Message | None
    began_at: datetime
    ended_at: datetime
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Health:
    """A subscription's status and consecutive failures."""

    active: bool
    failure_count: int
    last_disabled_at: datetime | None

    def after(self, verdict: Verdict, at: datetime) -> Self:
        """Return the health after an attempt: failures add up until a delivery succeeds."""
        if verdict.delivered:
            return replace(self, failure_count=0)
        failed = replace(self, failure_count=self.failure_count + 1)
        if self.active and failed.failure_count >= WEBHOOK_FAILURES_UNTIL_DISABLED:
            return replace(failed, active=False, last_disabled_at=at)
        return failed


def judge(status: int) -> Verdict:
    """Judge a response: only 2xx counts as delivered, and only 5xx is retried."""
    if 200 <= status < 300:
        return Verdict(status)
    if 300 <= status < 400:
        return Verdict(
            status,
            f"The endpoint responded with {status}. Redirects aren't followed; use the "
            "address it redirects to.",
        )
    return Verdict(status, f"The endpoint responded with {status}.", passing=status >= 500)


def retry_at(
    retry: int, verdict: Verdict, now: datetime, backoff: Sequence[float], roll: Roll
) -> datetime | None:
    """When to retry after attempt ``retry`` (0 is the first); None if never.

    ``backoff`` has the seconds before each retry; the last entry applies to all later ones.
    """
    if not verdict.passing or retry >= WEBHOOK_RETRIES:
        return None
    planned = backoff[min(retry, len(backoff) - 1)]
    return now + timedelta(seconds=planned * (1 + _JITTER * (2 * roll() - 1)))


def longest_wait(backoff: Sequence[float]) -> float:
    """Return the longest wait before a retry, in seconds; zero without any."""
    return max(backoff, default=0.0) * (1 + _JITTER)


class MessageSender:
    """Sends deliveries to any URL a user entered, within the limits for outgoing requests.

    ``timeout`` limits one delivery.
    """

    def __init__(
        self, outbound: OutboundClient, seal: Seal, clock: Clock, timeout: timedelta = TIMEOUT
    ) -> None:
        self._outbound = outbound
        self._seal = seal
        self._clock = clock
        self.timeout = timeout

    async def deliver(self, due: Due) -> Sent:
        """Make one attempt. Every failure is in the verdict."""
        began_at, began = self._clock(), time.perf_counter()
        message: Message | None = None
        try:
            message = Message.of(due, self._seal.open(due.secret, due.subscription_id), began_at)
            verdict = await self._send(due.url, message)
        except SealBrokenError:
            verdict = Verdict(problem=_UNREADABLE)
        except Exception:  # noqa: BLE001  one delivery must not stop the others
            _log.exception("a delivery failed unexpectedly")
            verdict = Verdict(problem=_BROKEN, passing=True)
        latency_ms = round((time.perf_counter() - began) * 1000)
        return Sent(verdict, message, began_at, self._clock(), latency_ms)

    async def _send(self, url: str, message: Message) -> Verdict:
        try:
            answer = await self._outbound.post(
                url, headers=message.headers, body=message.body, timeout=self.timeout
            )
        except AddressRefusedError as error:
            return Verdict(problem=str(error))
        except OutboundTimeoutError:
            seconds = f"{self.timeout.total_seconds():g}"
            return Verdict(problem=f"The endpoint didn't respond within {seconds} seconds.", passing=True)
        except OutboundError as error:
            return Verdict(problem=str(error), passing=True)
        return judge(answer.status)
