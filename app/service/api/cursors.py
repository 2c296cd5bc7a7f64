"""Cursors: signed positions in a list, opaque to whoever passes them back."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID

from itsdangerous import URLSafeSerializer

from app.service.api.errors import invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LONGEST = 512


@dataclass(frozen=True, slots=True)
class Position:
    """The place of one row in a list that runs by creation time, then by id."""

    created_at: datetime
    id: UUID

    def pack(self) -> list[int | str]:
        return [(self.created_at - _EPOCH) // _MILLISECOND, self.id.hex]

    @classmethod
    def unpack(cls, packed: list[int | str]) -> Self:
        milliseconds, row = packed
        return cls(_EPOCH + int(milliseconds) * _MILLISECOND, UUID(str(row)))


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
