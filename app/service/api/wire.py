"""Columns in the form of the wire: what goes out as it was stored need not become objects in between."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Dialect, Uuid, type_coerce
from sqlalchemy.types import TypeDecorator

from app.database import UtcMillis

_EPOCH: Final = date(1970, 1, 1)
_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000


class WireTime(UtcMillis):
    """A stored time that is read as the contract's text of it."""

    cache_ok = True

    def result_processor(self, _dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        return lambda value: None if value is None else timestamp(value)


class WireId(TypeDecorator[str]):
    """A stored id that is read as text."""

    impl = Uuid
    cache_ok = True

    def result_processor(self, dialect: Dialect, _coltype: object) -> Callable[[Any], Any]:
        text = str if dialect.supports_native_uuid else dashed
        return lambda value: None if value is None else text(value)


def on_the_wire(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column, read as text where it is an id or a time."""
    if isinstance(column.type, UtcMillis):
        return type_coerce(column, WireTime)
    return type_coerce(column, WireId) if isinstance(column.type, Uuid) else column


def dashed(digits: str) -> str:
    """The usual form of a UUID of 32 digits."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def timestamp(milliseconds: int) -> str:
    """What ``format_timestamp`` writes of that time since 1970 UTC, in half the time."""
    days, rest = divmod(milliseconds, _DAY)
    hours, rest = divmod(rest, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, rest = divmod(rest, _SECOND)
    return f"{_day(days)}T{hours:02}:{minutes:02}:{seconds:02}.{rest:03}Z"


@lru_cache(maxsize=4096)
def _day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).isoformat()
