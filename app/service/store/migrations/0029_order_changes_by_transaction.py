"""Order changes by transaction, so that commits on PostgreSQL no longer wait for each other.

Numbers of concurrent transactions become visible in any order, so readers stop before the oldest transaction
that is still running. Programs notify each other after the commit, because NOTIFY takes a global lock, too.

Programs of earlier versions rely on both locks. A database that is in use keeps them until ``finish_update``
is called, after the last of these programs has stopped.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0026"
branch_labels = None
depends_on = None

_LOCK = "PERFORM pg_advisory_xact_lock(7310022906111402113);"
"""How triggers used to wait for each other; see migration 0006."""

_CURRENT = "CAST(CAST(pg_current_xact_id() AS text) AS bigint)"
_REPLACE_RECORDERS = """
DO $do$
DECLARE recorder record;
BEGIN
    FOR recorder IN
        SELECT proname, prosrc FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND proname ~ '^tr_[a-z_]+_changes$'
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L',
            recorder.proname,
            {body}
        );
    END LOOP;
END $do$
"""
_ORDER_FUNCTION = f"""
CREATE FUNCTION order_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {_LOCK} RETURN NULL; END $$
"""
_ORDER_BEFORE_NUMBERS = """
CREATE TRIGGER tr_changes_insert_order BEFORE INSERT ON changes
FOR EACH STATEMENT EXECUTE FUNCTION order_changes()
"""
_CALL_NOW = (
    "CREATE OR REPLACE FUNCTION call_listeners() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('kalends', TG_ARGV[0]); RETURN NULL; END $$"
)
_FINISH = """
CREATE FUNCTION finish_update() RETURNS void LANGUAGE plpgsql AS $finish$
BEGIN
    DROP TRIGGER IF EXISTS tr_changes_insert_order ON changes;
    DROP FUNCTION IF EXISTS order_changes();
    DROP TRIGGER IF EXISTS tr_changes_insert_call ON changes;
    -- The program that commits sends what is collected here; a rolled back savepoint takes it back.
    CREATE OR REPLACE FUNCTION call_listeners() RETURNS trigger LANGUAGE plpgsql AS $call$
    DECLARE collected text := coalesce(current_setting('kalends.calls', true), '');
    BEGIN
        IF TG_ARGV[0] <> ALL (string_to_array(collected, ' ')) THEN
            PERFORM set_config('kalends.calls', ltrim(collected || ' ' || TG_ARGV[0]), true);
        END IF;
        RETURN NULL;
    END $call$;
END $finish$
"""


def upgrade() -> None:
    number = sa.Column("transaction_id", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("changes", number)
    op.drop_index("ix_changes_account", "changes")
    op.create_index("ix_changes_account", "changes", ["account_id", "transaction_id", "seq"])
    op.create_index("ix_changes_transaction", "changes", ["transaction_id", "seq"])
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute(f"ALTER TABLE changes ALTER transaction_id SET DEFAULT {_CURRENT}")
    op.execute(_REPLACE_RECORDERS.format(body=f"replace(recorder.prosrc, '{_LOCK} ', '')"))
    for statement in (_ORDER_FUNCTION, _ORDER_BEFORE_NUMBERS, _FINISH):
        op.execute(statement)
    if not op.get_bind().scalar(sa.text("SELECT EXISTS (SELECT 1 FROM accounts)")):
        op.execute("SELECT finish_update()")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT finish_update()")
        op.execute("DROP FUNCTION finish_update()")
        op.execute(_CALL_NOW)
        op.execute(
            "CREATE TRIGGER tr_changes_insert_call AFTER INSERT ON changes"
            " FOR EACH STATEMENT EXECUTE FUNCTION call_listeners('changes')"
        )
        op.execute(
            _REPLACE_RECORDERS.format(body=f"regexp_replace(recorder.prosrc, 'BEGIN', 'BEGIN {_LOCK}')")
        )
    op.drop_index("ix_changes_transaction", "changes")
    op.drop_index("ix_changes_account", "changes")
    op.create_index("ix_changes_account", "changes", ["account_id", "seq"])
    op.drop_column("changes", "transaction_id")
