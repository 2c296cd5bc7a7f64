"""Small values stored by name."""

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.workspace.store.tables import settings

T = TypeVar("T")


def get_setting(connection: Connection, name: str, shape: TypeAdapter[T]) -> T | None:
    """Return the value of a name; None if there is none, or it has another shape."""
    kept = connection.scalar(select(settings.c.value).where(settings.c.name == name))
    if kept is None:
        return None
    try:
        return shape.validate_json(kept)
    except ValidationError:
        return None


def put_setting(connection: Connection, name: str, value: T | None, shape: TypeAdapter[T]) -> None:
    """Store a value; None deletes it."""
    if value is None:
        connection.execute(delete(settings).where(settings.c.name == name))
        return
    put = insert(settings).values(name=name, value=shape.dump_json(value).decode())
    connection.execute(put.on_conflict_do_update(index_elements=["name"], set_={"value": put.excluded.value}))
