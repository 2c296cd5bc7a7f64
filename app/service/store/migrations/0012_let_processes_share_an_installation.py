"""Let processes on one PostgreSQL database verify each other's key and notify each other of changes."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_CALLS = (
    ("posts_insert", "posts", "AFTER INSERT ON posts", ""),
    (
        "posts_update",
        "posts",
        "AFTER UPDATE OF scheduled_at ON posts",
        "WHEN (OLD.scheduled_at IS DISTINCT FROM NEW.scheduled_at)",
    ),
    (
        "deliveries_insert",
        "deliveries",
        "AFTER INSERT ON deliveries",
        "WHEN (NEW.next_attempt_at IS NOT NULL)",
    ),
    ("changes_insert", "changes", "AFTER INSERT ON changes", ""),
)
"""Name of the trigger, its table (also the notification's payload), the event, and which rows count."""


def upgrade() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("seal_check", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation")),
    )
    if op.get_bind().dialect.name != "postgresql":
        return
    # Listeners read the rows; PostgreSQL merges equal notifications of one transaction.
    op.execute(
        "CREATE FUNCTION call_listeners() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_notify('kalends', TG_ARGV[0]); RETURN NULL; END $$"
    )
    for name, subject, event, condition in _CALLS:
        each = f"FOR EACH ROW {condition}" if condition else "FOR EACH STATEMENT"
        call = f"EXECUTE FUNCTION call_listeners('{subject}')"
        op.execute(f"CREATE TRIGGER tr_{name}_call {event} {each} {call}")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for name, table, *_ in _CALLS:
            op.execute(f"DROP TRIGGER tr_{name}_call ON {table}")
        op.execute("DROP FUNCTION call_listeners()")
    op.drop_table("installation")
