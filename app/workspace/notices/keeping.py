"""The stored state of notifications, and when posts were published."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from app.workspace.clock import to_millis
from app.workspace.notices.ledger import Told
from app.workspace.store.settings import get_setting, put_setting
from app.workspace.store.tables import posts

_NAME = "notices"
_SHAPE: TypeAdapter[Told] = TypeAdapter(Told)


def load_told(connection: Connection) -> Told | None:
    """Return what was notified before; None in a new file."""
    return get_setting(connection, _NAME, _SHAPE)


def save_told(connection: Connection, told: Told) -> None:
    put_setting(connection, _NAME, told, _SHAPE)


def posted_at(connection: Connection, keys: Sequence[str]) -> dict[str, int]:
    """Return when posts were published, in ms, for those the service knows about."""
    asked = select(posts.c.key, posts.c.posted_at).where(
        posts.c.key.in_(keys), posts.c.posted_at.is_not(None)
    )
    return {key: to_millis(at) for key, at in connection.execute(asked)}
