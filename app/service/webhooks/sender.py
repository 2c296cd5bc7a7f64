"""One delivery: signed, sent once and judged, and when to retry it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self

import structlog

from app.contract.limits import WEBHOOK_FAILURES_UNTIL_DISABLED, WEBHOOK_RETRIES, WEBHOOK_TEST_TIMEOUT
from app.service.clock import Clock
from app.service.outbound import AddressRefusedError, OutboundClient, OutboundError, OutboundTimeoutError
from app.service.store.seal import Seal, SealBrokenError
from app.service.webhooks.messages import Due, Message

Roll = Callable[[], float]
"""A random number in [0, 1)."""

_JITTER: Final = 0.2
"""By how much, at most, a wait is longer or shorter than planned."""

_log = structlog.get_logger(__name__)

TIMEOUT: Final[timedelta] = WEBHOOK_TEST_TIMEOUT
"""How long an endpoint may take to answer, from looking up its name on."""

_UNREADABLE: Final = (
    "The secret cannot be opened with this installation's key. Delete the webhook and create it anew."
)
_BROKEN: Final = "Something went wrong inside the service."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attempt came to; without a ``problem`` it was delivered.

    Attributes:
        status_code: What the endpoint answered; None: it did not.
        problem: What went wrong, in a sentence.
        passing: Trying again may help.
    """

    status_code: int | None = None
    problem: str | None = None
    passing: bool = False

    @property
    def delivered(self) -> bool:
        return self.problem is None


@dataclass(frozen=True, slots=True)
class Sent:
    """One attempt that was made: what was sent (None: nothing could be), and what came of it."""

    verdict: Verdict
    message: Message | None
    began_at: datetime
    ended_at: datetime
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Health:
    """How a subscription stands."""

    active: bool
    failure_count: int
    last_disabled_at: datetime | None

    def after(self, verdict: Verdict, at: datetime) -> Self:
        """Every failed attempt counts; one that is delivered ends the row of failures."""
        if verdict.delivered:
            return replace(self, failure_count=0)
        failed = replace(self, failure_count=self.failure_count + 1)
        if self.active and failed.failure_count >= WEBHOOK_FAILURES_UNTIL_DISABLED:
            return replace(failed, active=False, last_disabled_at=at)
        return failed


def judge(status: int) -> Verdict:
    """What an answer means: only 2xx is delivered, and only 5xx is tried again."""
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
    """When to try again after the attempt number ``retry`` of a dispatch (0 is the first); None: never.

    ``backoff`` holds the seconds before each retry; the last of them stands for those that are missing.
    """
    if not verdict.passing or retry >= WEBHOOK_RETRIES:
        return None
    planned = backoff[min(retry, len(backoff) - 1)]
    return now + timedelta(seconds=planned * (1 + _JITTER * (2 * roll() - 1)))


def longest_wait(backoff: Sequence[float]) -> float:
    """Return the longest wait before a retry, in seconds; zero without any."""
    return max(backoff, default=0.0) * (1 + _JITTER)


class MessageSender:
    """Delivers to whatever address a person named, through the guard of outbound requests.

    ``timeout`` is how long one delivery takes at most.
    """

    def __init__(
        self, outbound: OutboundClient, seal: Seal, clock: Clock, timeout: timedelta = TIMEOUT
    ) -> None:
        self._outbound = outbound
        self._seal = seal
        self._clock = clock
        self.timeout = timeout

    async def deliver(self, due: Due) -> Sent:
        """One attempt; whatever goes wrong is in the verdict."""
        began_at, began = self._clock(), time.perf_counter()
        message: Message | None = None
        try:
            message = Message.of(due, self._seal.open(due.secret, due.subscription_id), began_at)
            verdict = await self._send(due.url, message)
        except SealBrokenError:
            verdict = Verdict(problem=_UNREADABLE)
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
        except Exception:  # noqa: BLE001  one endpoint must not stop the others
            _log.exception("a delivery went wrong in an unforeseen way")
            return Verdict(problem=_BROKEN, passing=True)
        return judge(answer.status)
