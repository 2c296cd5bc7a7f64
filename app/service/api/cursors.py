"""Cursors: signed positions in a list, opaque to whoever passes them back."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Self
from uuid import UUID

from itsdangerous import URLSafeSerializer

from app.service.api.errors import invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LONGEST = 512


@dataclass(frozen=True, slots=True)
class Position:
    """The place of one row in a list that runs by a time or by a day, and then by id."""

    at: datetime | date
    id: UUID

    def pack(self) -> list[int | str]:
        at = (self.at - _EPOCH) // _MILLISECOND if isinstance(self.at, datetime) else self.at.isoformat()
        return [at, self.id.hex]

    @classmethod
    def unpack(cls, packed: list[int | str]) -> Self:
        at, row = packed
        moment = _EPOCH + at * _MILLISECOND if isinstance(at, int) else date.fromisoformat(at)
        return cls(moment, UUID(str(row)))


class Cursors:
    """Writes and reads the cursors of one installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def write(self, resource: str, position: Position) -> str:
        """The cursor after ``position`` in the list called ``resource``."""
        return str(self._serializer(resource).dumps(position.pack()))

    def read(self, resource: str, cursor: str) -> Position:
        """Raises ApiError for a cursor that this installation did not write for this list."""
        valid, packed = self._serializer(resource).loads_unsafe(cursor[:_LONGEST])
        if not valid:
            raise invalid(
                "cursor", "is not a cursor of this list; pass next_cursor back exactly as received", "cursor"
            )
        return Position.unpack(packed)

    def _serializer(self, resource: str) -> URLSafeSerializer:
        return URLSafeSerializer(
            self._secret, salt=f"cursor {resource}", signer_kwargs={"digest_method": hashlib.sha256}
        )
