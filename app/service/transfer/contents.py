"""What an export contains: tables, their rows, the columns left out, and the encrypted columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, Table, or_, select

from app.contract.limits import EXPORT_ROWS_MAX
from app.service.store.tables import (
    attempts,
    connections,
    contents,
    deliveries,
    events,
    idempotency_keys,
    media,
    metrics,
    posts,
    publication_steps,
    removed_posts,
    usage_counters,
    webhook_subscriptions,
)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A table of an export.

    Attributes:
        table: The table.
        left_out: Columns that only mean something to the service that wrote them, such as claims.
        sealed: Columns with secrets, by the column whose id they're encrypted with.
        refers: Columns with ids of rows of other tables, each with the tables in which these rows are.
        bytes_max: Maximum size of its file if it arrives by the companion API, in bytes.
    """

    table: Table
    left_out: frozenset[str] = frozenset()
    sealed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    refers: Mapping[str, tuple[Table, ...]] = field(default_factory=lambda: MappingProxyType({}))
    bytes_max: int = EXPORT_ROWS_MAX

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def is_owned(self) -> bool:
        """Whether rows name their account. Otherwise, the row that they refer to does."""
        return "account_id" in self.table.c

    def columns(self) -> list[str]:
        """Return the columns of a line, in the table's order."""
        without = self.left_out | set(self.sealed) | {"account_id"}
        return [column.name for column in self.table.columns if column.name not in without]

    def of_account(self, account_id: UUID) -> ColumnElement[bool]:
        """Return the condition for the account's rows that belong in an export."""
        if self.table is media:  # only what is stored: no uploads in progress, and no lost files
            stored = media.c.sha256.is_not(None) & media.c.expires_at.is_(None)
            return (media.c.account_id == account_id) & stored
        if self.is_owned:
            owned: ColumnElement[bool] = self.table.c.account_id == account_id
            return owned
        (column, owners), *_ = self.refers.items()
        return or_(
            *(
                self.table.c[column].in_(select(owner.c.id).where(owner.c.account_id == account_id))
                for owner in owners
            )
        )

    def in_order(self, account_id: UUID, dialect: str) -> Select[tuple[object, ...]]:
        """Return a query of the rows in an order that doesn't depend on the database."""
        bytewise = "C" if dialect == "postgresql" else "BINARY"
        keys = [
            column.collate(bytewise) if isinstance(column.type, String) else column
            for column in self.table.primary_key.columns
        ]
        return select(self.table).where(self.of_account(account_id)).order_by(*keys)


_MIB: Final = 1024**2
_CLAIM: Final = frozenset({"claimed_by", "claimed_until"})
_POSTS: Final = (posts, removed_posts)  # looks still need the steps of posts removed during a call
_OF_POST: Final = MappingProxyType({"post_id": _POSTS})
_OF_CONNECTION: Final = MappingProxyType({"connection_id": (connections,)})

MEDIA: Final = Part(media, left_out=frozenset({"object_key", "expires_at", "probe_after", "missing_since"}))
PARTS: Final = (
    Part(
        connections,
        left_out=frozenset({"renewing_until", "doubted_at"}),
        sealed=MappingProxyType({"access_token": "id", "refresh_token": "id"}),
        bytes_max=64 * _MIB,
    ),
    MEDIA,
    Part(posts, left_out=_CLAIM, refers=_OF_CONNECTION),
    Part(removed_posts, left_out=frozenset({"claimed_until"}), refers=_OF_CONNECTION),
    Part(attempts, refers=_OF_POST),
    Part(
        publication_steps,
        sealed=MappingProxyType({"value": "post_id"}),
        refers=_OF_POST,
    ),
    Part(contents, refers=MappingProxyType({"connection_id": (connections,), "post_id": _POSTS})),
    Part(metrics, refers=_OF_CONNECTION),
    Part(idempotency_keys, refers=_OF_POST),
    Part(usage_counters, bytes_max=_MIB),
    Part(
        webhook_subscriptions,
        left_out=_CLAIM,
        sealed=MappingProxyType({"secret": "id"}),
        bytes_max=_MIB,
    ),
    Part(events),
    Part(
        deliveries,
        refers=MappingProxyType({"subscription_id": (webhook_subscriptions,), "event_id": (events,)}),
    ),
)
"""In an order in which every row follows those it refers to.

Keys, passwords and sessions stay behind: they're for one service. So do flows and prepared uploads, which
start again, and the log of changes, which the other service writes itself.
"""

NAMES: Final = tuple(part.name for part in PARTS)
