"""The scheduled posts, and their rows in the service."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import insert

from app.contract.enums import CreatedVia, PostStatus, PostType
from app.database import Database
from app.service.store.tables import posts
from tests.benchmarks.punctuality.accounts import Account

_FIRST_FAR: Final = timedelta(days=30)
_FAR_APART: Final = timedelta(minutes=5)
_ROWS_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class Planned:
    """A post with a unique text. ``at_ms`` is its time since 1970."""

    account: Account
    text: str
    at_ms: int

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.at_ms / 1_000, UTC)


def spread(name: str, accounts: Sequence[Account], count: int, start_ms: int, over_ms: int) -> list[Planned]:
    """Return evenly spaced posts of alternating accounts. ``over_ms`` 0: all at one instant."""
    who = cycle(accounts)
    return [
        Planned(next(who), f"{name} {number}", start_ms + number * over_ms // count)
        for number in range(count)
    ]


def far_ahead(accounts: Sequence[Account], count: int, now_ms: int) -> list[Planned]:
    """Return posts that are due in a month and later, every few minutes."""
    first = now_ms + int(_FIRST_FAR / timedelta(milliseconds=1))
    return spread("Far", accounts, count, first, count * int(_FAR_APART / timedelta(milliseconds=1)))


def store(database: Database, planned: Sequence[Planned], created: datetime) -> None:
    """Write posts as rows of the service, as if created earlier."""
    for group in _groups(planned):
        rows = [_row(one, created) for one in group]
        database.write_now(lambda connection, rows=rows: connection.execute(insert(posts), rows))  # type: ignore[misc]


def _groups(planned: Sequence[Planned]) -> Iterator[Sequence[Planned]]:
    for first in range(0, len(planned), _ROWS_AT_ONCE):
        yield planned[first : first + _ROWS_AT_ONCE]


def _row(planned: Planned, created: datetime) -> dict[str, Any]:
    account = planned.account
    return {
        "id": uuid4(),
        "account_id": account.owner,
        "connection_id": account.id,
        "platform": account.platform.value,
        "post_type": PostType.TEXT.value,
        "status": PostStatus.SCHEDULED.value,
        "description": planned.text,
        "scheduled_at": planned.at,
        "created_via": CreatedVia.REST.value,
        "created_at": created,
    }
