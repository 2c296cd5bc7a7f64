"""How far the workspace has followed the service, over restarts."""

from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.workspace.store.settings import get_setting, put_setting

_NAME = "sync"


@dataclass(frozen=True, slots=True)
class Position:
    """``listed``: everything was listed once. ``event``: the last event of the stream that was taken."""

    listed: bool = False
    event: str = ""


_SHAPE: TypeAdapter[Position] = TypeAdapter(Position)


def load_position(connection: Connection) -> Position:
    return get_setting(connection, _NAME, _SHAPE) or Position()


def save_position(connection: Connection, position: Position) -> None:
    put_setting(connection, _NAME, position, _SHAPE)
