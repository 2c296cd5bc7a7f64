"""One delivery over the network: signed, sent once, and judged."""

import time
from datetime import timedelta
from typing import Final

import structlog

from app.contract.limits import WEBHOOK_TEST_TIMEOUT
from app.service.clock import Clock
from app.service.outbound import AddressRefusedError, OutboundClient, OutboundError, OutboundTimeoutError
from app.service.store.seal import Seal, SealBrokenError
from app.service.webhooks.messages import Due, Message
from app.service.webhooks.outcome import Sent, Verdict, judge

_log = structlog.get_logger(__name__)

TIMEOUT: Final[timedelta] = WEBHOOK_TEST_TIMEOUT
"""How long an endpoint may take to answer, from looking up its name on."""

_UNREADABLE: Final = (
    "The secret cannot be opened with this installation's key. Delete the webhook and create it anew."
)
_BROKEN: Final = "Something went wrong inside the service."


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
