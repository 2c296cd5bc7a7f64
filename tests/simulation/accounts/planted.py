"""Faults planted in the product, to see that the room of accounts finds them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from app.contract.enums import EventType
from app.database import DatabaseError
from app.service.connections import flows, rows
from app.service.connections.renewal_claims import ForeignClaim, RenewalClaim
from app.service.connections.tokens import TokenKeeper
from app.service.limits import TokenBuckets
from app.service.usage import counter

Plant = Callable[[], AbstractContextManager[object]]


@contextmanager
def claims_ignored() -> Iterator[None]:
    """A renewal that another process has begun keeps nobody from renewing."""

    async def taken(*_: object) -> bool:
        return True

    with (
        patch.object(ForeignClaim, "is_over", lambda *_: True),
        patch.object(RenewalClaim, "take", taken),
    ):
        yield


def refusal_believed_at_once() -> AbstractContextManager[object]:
    """A refused renewal ends an account, whatever its access token is good for."""

    async def accepts(*_: object) -> bool:
        return False

    return patch.object(TokenKeeper, "_accepts", accepts)


def end_untold() -> AbstractContextManager[object]:
    """No event tells that an account ended."""
    real = rows._record_event

    def tell(transaction: Any, connection_id: Any, kind: EventType, now: Any) -> None:
        if kind is not EventType.CONNECTION_EXPIRED:
            real(transaction, connection_id, kind, now)

    return patch.object(rows, "_record_event", tell)


def new_tokens_dropped() -> AbstractContextManager[object]:
    """New tokens that can't be stored at the first attempt are used, and forgotten."""

    async def store(self: TokenKeeper, row: Any, grant: Any) -> None:
        with suppress(DatabaseError):
            await self._change(row, rows.token_columns(self._seal, row.id, grant, self._clock()))

    return patch.object(TokenKeeper, "_store", store)


def flows_last_for_ever() -> AbstractContextManager[object]:
    """A pending connection does not expire."""
    return patch.object(flows, "CONNECTION_STATE_LIFETIME", timedelta(days=10))


def limits_not_held() -> AbstractContextManager[object]:
    """A bucket never runs dry."""
    return patch.object(TokenBuckets, "take", lambda *_: 0.0)


def calls_counted_twice() -> AbstractContextManager[object]:
    """What was stored is counted again at the next time."""
    real = counter._add

    def add(transaction: Any, calls: Mapping[Any, int]) -> None:
        real(transaction, calls)
        real(transaction, calls)

    return patch.object(counter, "_add", add)


_USUAL: Final = "all=1"
PLANTED: Final[Mapping[Plant, tuple[str, int]]] = MappingProxyType(
    {
        claims_ignored: ("all=1,slow=0.3", 3),
        refusal_believed_at_once: ("all=1,cut_after=0.2", 2),
        end_untold: (_USUAL, 2),
        new_tokens_dropped: ("all=1,disk_full=0.1", 2),
        flows_last_for_ever: (_USUAL, 2),
        limits_not_held: (_USUAL, 2),
        calls_counted_twice: (_USUAL, 2),
    }
)
"""With the rates at which each is looked for, and the first seed; it is found within 2,000 renewals."""
