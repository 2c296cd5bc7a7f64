"""Columns in the form of the wire: what goes out as it was stored need not become objects in between."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Dialect, Uuid, type_coerce
from sqlalchemy.types import TypeDecorator

from app.database import UtcMillis

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  the Z is written by hand


class WireTime(UtcMillis):
    """A stored time that is read as the contract's text of it."""

    cache_ok = True

    def result_processor(self, _dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        return timestamp


class WireId(TypeDecorator[str]):
    """A stored id that is read as text."""

    impl = Uuid
    cache_ok = True

    def result_processor(self, dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        return _text if dialect.supports_native_uuid else dashed


def on_the_wire(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column, read as text where it is an id or a time."""
    if isinstance(column.type, UtcMillis):
        return type_coerce(column, WireTime)
    return type_coerce(column, WireId) if isinstance(column.type, Uuid) else column


def dashed(digits: str | None) -> str | None:
    """The usual form of a UUID of 32 digits."""
    if digits is None:
        return None
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def timestamp(milliseconds: int | None) -> str | None:
    """What ``format_timestamp`` writes of that time since 1970 UTC, in half the time."""
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{_second(seconds)}.{rest:03}Z"


@lru_cache(maxsize=16_384)
def _second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()


def _text(value: object) -> str | None:
    return None if value is None else str(value)
