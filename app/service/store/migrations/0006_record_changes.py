"""Record changes for the companion stream, and index posts by the time of their publication.

Triggers record the changes, so no writer can forget to. A later migration that makes SQLite recreate one of
these tables must recreate its triggers.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SHOWN_OF_POSTS = ("status", "scheduled_at", "posted_at")
_SHOWN_OF_CONNECTIONS = (
    "display_name",
    "username",
    "avatar_url",
    "is_verified",
    "follower_count",
    "is_available",
    "token_expires_at",
)
_SHOWN_OF_MEDIA = ("expires_at", "width", "height", "duration_ms", "alt_text")

_NOW = {
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
}
_DIFFERS = {"sqlite": "IS NOT", "postgresql": "IS DISTINCT FROM"}
_LOCK = 7_310_022_906_111_402_113
"""Lock under which PostgreSQL assigns numbers, so that they are in the order of commits."""


@dataclass(frozen=True)
class _Trigger:
    """A trigger that records a change after an operation on a table.

    Attributes:
        subject: Column with the id of the changed object.
        row: ``NEW`` or ``OLD``, the row with that id.
        columns: For an update, the columns whose changes count.
        condition: An additional SQL condition.
        account: The account the change belongs to, and ``source`` where to find it if not in the row.
    """

    table: str
    operation: str
    kind: str
    subject: str
    row: str = "NEW"
    columns: tuple[str, ...] = ()
    condition: str = ""
    account: str = "{row}.account_id"
    source: str = ""

    @property
    def name(self) -> str:
        return f"tr_{self.table}_{self.operation.lower()}_changes"

    def create(self, dialect: str) -> list[str]:
        return self._sqlite() if dialect == "sqlite" else self._postgresql()

    def drop(self, dialect: str) -> list[str]:
        if dialect == "sqlite":
            return [f"DROP TRIGGER IF EXISTS {self.name}"]
        return [f"DROP TRIGGER {self.name} ON {self.table}", f"DROP FUNCTION {self.name}()"]

    def _sqlite(self) -> list[str]:
        event, body = self._event("sqlite"), self._insert("sqlite")
        return [f"CREATE TRIGGER {self.name} AFTER {event} BEGIN {body}; END"]

    def _postgresql(self) -> list[str]:
        """Deferred to the commit, so that the lock is held briefly and comes after all row locks."""
        event, body = self._event("postgresql", " DEFERRABLE INITIALLY DEFERRED"), self._insert("postgresql")
        body = f"BEGIN PERFORM pg_advisory_xact_lock({_LOCK}); {body}; RETURN NULL; END"
        return [
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
            f"CREATE CONSTRAINT TRIGGER {self.name} AFTER {event} EXECUTE FUNCTION {self.name}()",
        ]

    def _event(self, dialect: str, deferral: str = "") -> str:
        columns = f" OF {', '.join(self.columns)}" if self.columns else ""
        differing = " OR ".join(f"OLD.{name} {_DIFFERS[dialect]} NEW.{name}" for name in self.columns)
        when = " AND ".join(f"({part})" for part in (differing, self.condition) if part)
        when = f" WHEN ({when})" if when else ""
        return f"{self.operation}{columns} ON {self.table}{deferral} FOR EACH ROW{when}"

    def _insert(self, dialect: str) -> str:
        account = self.account.format(row=self.row)
        subject = f"CAST({self.row}.{self.subject} AS text)"
        values = f"{account}, '{self.kind}', {subject}, {_NOW[dialect]} {self.source}"
        into = "changes (account_id, kind, subject, created_at)"
        return f"INSERT INTO {into} SELECT {values}"


_SUBSCRIBER = "subscriber.account_id"
_SUBSCRIPTION = "FROM webhook_subscriptions AS subscriber WHERE subscriber.id = NEW.subscription_id"
_TRIGGERS = (
    _Trigger("posts", "INSERT", "post.changed", "id"),
    _Trigger("posts", "UPDATE", "post.changed", "id", columns=_SHOWN_OF_POSTS),
    _Trigger("posts", "DELETE", "post.changed", "id", row="OLD"),
    _Trigger("connections", "INSERT", "connection.changed", "id"),
    _Trigger("connections", "UPDATE", "connection.changed", "id", columns=_SHOWN_OF_CONNECTIONS),
    _Trigger("connections", "DELETE", "connection.changed", "id", row="OLD"),
    # Rows with an expiry are uploads in progress, not stored files.
    _Trigger("media", "INSERT", "media.changed", "storage_path", condition="NEW.expires_at IS NULL"),
    _Trigger(
        "media",
        "UPDATE",
        "media.changed",
        "storage_path",
        columns=_SHOWN_OF_MEDIA,
        condition="NEW.expires_at IS NULL",
    ),
    _Trigger(
        "media", "DELETE", "media.changed", "storage_path", row="OLD", condition="OLD.expires_at IS NULL"
    ),
    # A pending delivery isn't in the log yet.
    _Trigger(
        "deliveries",
        "INSERT",
        "delivery.recorded",
        "id",
        condition="NEW.next_attempt_at IS NULL",
        account=_SUBSCRIBER,
        source=_SUBSCRIPTION,
    ),
    _Trigger(
        "deliveries",
        "UPDATE",
        "delivery.recorded",
        "id",
        columns=("next_attempt_at",),
        condition="NEW.next_attempt_at IS NULL",
        account=_SUBSCRIBER,
        source=_SUBSCRIPTION,
    ),
)


def upgrade() -> None:
    op.create_table(
        "changes",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_posts_calendar", "posts", ["account_id", "scheduled_at", "id"])
    for trigger in _TRIGGERS:
        for statement in trigger.create(_dialect()):
            op.execute(statement)


def downgrade() -> None:
    for trigger in _TRIGGERS:
        for statement in trigger.drop(_dialect()):
            op.execute(statement)
    op.drop_index("ix_posts_calendar", "posts")
    op.drop_table("changes")


def _dialect() -> str:
    return op.get_bind().dialect.name
