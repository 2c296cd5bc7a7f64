"""Cursors: signed positions in a list, opaque to clients."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Final, Self
from uuid import UUID

from itsdangerous import BadSignature, Signer

from app.service.api.responses import invalid

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a row in a list ordered by a time or a day, and then by id."""

    at: datetime | date
    id: UUID

    def pack(self) -> str:
        """Encode a time as ``t`` and milliseconds, a day as ``d`` and its ordinal; then the id."""
        if isinstance(self.at, datetime):
            return f"t{(self.at - _EPOCH) // _MILLISECOND}_{self.id.hex}"
        return f"d{self.at.toordinal()}_{self.id.hex}"

    @classmethod
    def unpack(cls, packed: str) -> Self:
        at, _, row = packed[1:].partition("_")
        if packed[0] == "t":
            return cls(_EPOCH + int(at) * _MILLISECOND, UUID(row))
        return cls(date.fromordinal(int(at)), UUID(row))


class Cursors:
    """Writes and reads the cursors of one installation."""

    def __init__(self, secret: bytes) -> None:
        self._signer = cache(
            lambda resource: Signer(secret, salt=f"cursor {resource}", digest_method=hashlib.sha256)
        )

    def write(self, resource: str, position: Position) -> str:
        """Return the cursor after ``position`` in the list named ``resource``."""
        return str(self._signer(resource).sign(position.pack()).decode())

    def read(self, resource: str, cursor: str) -> Position:
        """Decode a cursor. Raises ApiError if this installation didn't create it for this list."""
        try:
            packed = self._signer(resource).unsign(cursor)
        except BadSignature:
            raise invalid(
                "cursor", "isn't a cursor of this list; pass next_cursor back exactly as received", "cursor"
            ) from None
        return Position.unpack(packed.decode())
