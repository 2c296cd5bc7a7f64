"""Which posts lead a card: maps the positions of all posts to the rows of the calendar's model and back."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

_BLOCK: Final = 4_096
"""Number of posts whose leads are counted together."""


class CardRows:
    """A flag per post in the order of the posts: 1 for those that lead a card. A million take a megabyte.

    Positions count posts, rows count those that lead a card.
    """

    def __init__(self, flags: bytearray | None = None) -> None:
        self._flags = bytearray() if flags is None else flags
        self._starts = [0]
        """The first row of each block, as far as it's known."""

    def __len__(self) -> int:
        return self.row(len(self._flags))

    def between(self, start: int, end: int) -> bytearray:
        """Return the flags of a half-open range of positions."""
        return self._flags[start:end]

    def count(self, start: int, end: int) -> int:
        """Return the number of rows in a half-open range of positions."""
        return self._flags.count(1, start, end)

    def leads(self, start: int, end: int) -> Iterator[int]:
        """Yield the positions in a half-open range that lead a card."""
        position = self._flags.find(1, start, end)
        while position >= 0:
            yield position
            position = self._flags.find(1, position + 1, end)

    def row(self, position: int) -> int:
        """Return the number of rows before a position."""
        block = position // _BLOCK
        self._count_blocks(block)
        return self._starts[block] + self._flags.count(1, block * _BLOCK, position)

    def position(self, row: int) -> int:
        """Return the position of a row. Raises IndexError."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        block = bisect_right(self._starts, row) - 1
        position = block * _BLOCK - 1
        for _ in range(row - self._starts[block] + 1):
            position = self._flags.index(1, position + 1)
        return position

    def mark(self, start: int, end: int, *, leads: bool) -> None:
        """Set the flags of a half-open range of positions."""
        self._flags[start:end] = bytes((leads,)) * (end - start)
        self._forget_from(start)

    def insert(self, position: int) -> None:
        """Insert a post that leads no card."""
        self._flags.insert(position, 0)
        self._forget_from(position)

    def remove(self, position: int) -> None:
        """Remove a post that leads no card."""
        del self._flags[position]
        self._forget_from(position)

    def _count_blocks(self, last: int) -> None:
        while len(self._starts) <= last:
            start = (len(self._starts) - 1) * _BLOCK
            self._starts.append(self._starts[-1] + self._flags.count(1, start, start + _BLOCK))

    def _forget_from(self, position: int) -> None:
        del self._starts[position // _BLOCK + 1 :]
