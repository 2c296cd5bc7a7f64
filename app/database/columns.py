"""Column types that behave the same on every database."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Text
from sqlalchemy.types import TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class UtcMillis(TypeDecorator[datetime]):
    """An aware datetime, stored as integer milliseconds since 1970 UTC: exact, compact and sortable."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Any) -> int | None:
        """Raises ValueError for a naive datetime, which would silently be wrong by hours."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a zone")
        return (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: int | None, _dialect: Any) -> datetime | None:
        return None if value is None else _EPOCH + value * _MILLISECOND


class JsonText(TypeDecorator[Any]):
    """A small JSON value stored as text, so that triggers and SQLite can compare it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Any) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"), sort_keys=True)

    def process_result_value(self, value: str | None, _dialect: Any) -> Any:
        return None if value is None else json.loads(value)
