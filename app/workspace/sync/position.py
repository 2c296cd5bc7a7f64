"""How far the workspace has followed the service, over restarts."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.client import is_event_id
from app.workspace.store.settings import get_setting, put_setting

_NAME = "sync"


@dataclass(frozen=True, slots=True)
class Position:
    """``listed``: everything was listed once. ``event``: the last event of the stream that was taken."""

    listed: bool = False
    event: str = ""


_SHAPE: TypeAdapter[Position] = TypeAdapter(Position)


def load_position(connection: Connection) -> Position:
    position = get_setting(connection, _NAME, _SHAPE) or Position()
    # Versions before this one kept whatever the service sent; such an id can never be resumed from.
    return position if is_event_id(position.event) else replace(position, event="")


def save_position(connection: Connection, position: Position) -> None:
    put_setting(connection, _NAME, position, _SHAPE)
