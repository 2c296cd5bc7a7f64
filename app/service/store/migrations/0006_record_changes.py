"""Record what changed, for the companion stream, and find posts by the time of their publication.

Triggers write the changes, so that whatever changes a row, also of another program, tells of it. A migration that
has SQLite make one of these tables anew must make its triggers anew.
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
_ONE_AFTER_THE_OTHER = 7_310_022_906_111_402_113
"""The lock under which PostgreSQL gives out numbers, so that they run in the order of commits."""


@dataclass(frozen=True)
class _Trigger:
    """Writes one change after an operation on a table.

    Attributes:
        row: ``NEW`` or ``OLD``, the row that tells whose change it is.
        condition: SQL that must hold, with ``{differs}`` for a comparison that knows null.
    """

    table: str
    operation: str
    kind: str
    subject: str
    row: str = "NEW"
    columns: tuple[str, ...] = ()
    condition: str = ""
    account: str = "{row}.account_id"

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
        return [
            f"CREATE TRIGGER {self.name} AFTER {self._event('sqlite')} BEGIN {self._insert('sqlite')}; END"
        ]

    def _postgresql(self) -> list[str]:
        """Deferred to the commit, so that the lock is held for no longer and taken after all locks of rows."""
        return [
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"PERFORM pg_advisory_xact_lock({_ONE_AFTER_THE_OTHER}); {self._insert('postgresql')}; "
            "RETURN NULL; END $$",
            f"CREATE CONSTRAINT TRIGGER {self.name} AFTER {self._event('postgresql', deferred=True)} "
            f"EXECUTE FUNCTION {self.name}()",
        ]

    def _event(self, dialect: str, *, deferred: bool = False) -> str:
        columns = f" OF {', '.join(self.columns)}" if self.columns else ""
        when = f" WHEN ({self._when(dialect)})" if self._when(dialect) else ""
        deferral = " DEFERRABLE INITIALLY DEFERRED" if deferred else ""
        return f"{self.operation}{columns} ON {self.table}{deferral} FOR EACH ROW{when}"

    def _when(self, dialect: str) -> str:
        differs = _DIFFERS[dialect]
        changed = " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in self.columns)
        return " AND ".join(f"({part})" for part in (changed, self.condition) if part)

    def _insert(self, dialect: str) -> str:
        account = self.account.format(row=self.row)
        return (
            "INSERT INTO changes (account_id, kind, subject, created_at) "
            f"VALUES ({account}, '{self.kind}', CAST({self.row}.{self.subject} AS text), {_NOW[dialect]})"
        )


_SUBSCRIBER = "(SELECT account_id FROM webhook_subscriptions WHERE id = {row}.subscription_id)"
_TRIGGERS = (
    _Trigger("posts", "INSERT", "post.changed", "id"),
    _Trigger("posts", "UPDATE", "post.changed", "id", columns=_SHOWN_OF_POSTS),
    _Trigger("posts", "DELETE", "post.changed", "id", row="OLD"),
    _Trigger("connections", "INSERT", "connection.changed", "id"),
    _Trigger("connections", "UPDATE", "connection.changed", "id", columns=_SHOWN_OF_CONNECTIONS),
    _Trigger("connections", "DELETE", "connection.changed", "id", row="OLD"),
    # What has an end is on its way and not stored yet.
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
    # A delivery that waits for its turn is not recorded yet.
    _Trigger(
        "deliveries",
        "INSERT",
        "delivery.recorded",
        "id",
        condition="NEW.next_attempt_at IS NULL",
        account=_SUBSCRIBER,
    ),
    _Trigger(
        "deliveries",
        "UPDATE",
        "delivery.recorded",
        "id",
        columns=("next_attempt_at",),
        condition="NEW.next_attempt_at IS NULL",
        account=_SUBSCRIBER,
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
