"""Alembic's entry point. The runner passes a connection and the target tables."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext

from app.database.dialects import UtcMillis


def _render_item(kind: str, item: Any, _context: AutogenContext) -> str | Literal[False]:
    """Render our column types in new migrations as their database types."""
    return "sa.BigInteger()" if kind == "type" and isinstance(item, UtcMillis) else False


config = context.config
context.configure(
    connection=config.attributes["connection"],
    target_metadata=config.attributes["target_metadata"],
    render_as_batch=True,
    render_item=_render_item,
    transactional_ddl=False,  # the caller's transaction covers the whole upgrade
)
context.run_migrations()
