"""Published content as a list for Qt: every row is there at once, and what it shows comes when it is seen."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.contract.history import ContentRecord
from app.desktop.history.wording import facts, headline, spoken

RECORD: Final = Qt.ItemDataRole.UserRole
"""The ContentRecord; None until it was read."""
FACTS: Final = Qt.ItemDataRole.UserRole + 1
"""The second line of a row."""
PIECE: Final = 100
_KEPT: Final = 40
"""So many pieces stay in memory."""

Index = QModelIndex | QPersistentModelIndex


class HistoryModel(QAbstractListModel):
    """``places`` are all rows; pieces of them are read from the file as they are looked at."""

    wanted = Signal(int)
    """The number of a piece that is looked at and not there."""

    def __init__(self, zone: ZoneInfo, is_own: Callable[[ContentRecord], bool]) -> None:
        """``is_own`` tells whether content came from a post that was planned here."""
        super().__init__()
        self._is_own = is_own
        self.places: Sequence[int] = ()
        self._zone = zone
        self._pieces: OrderedDict[int, Sequence[ContentRecord | None]] = OrderedDict()
        self._asked: set[int] = set()

    def show(self, places: Sequence[int]) -> None:
        """Lists these from now on."""
        self.beginResetModel()
        self.places = places
        self._pieces.clear()
        self._asked.clear()
        self.endResetModel()

    def places_of(self, piece: int) -> Sequence[int]:
        return self.places[piece * PIECE : (piece + 1) * PIECE]

    def take(self, piece: int, places: Sequence[int], found: Mapping[int, ContentRecord]) -> None:
        """Takes what was read; nothing where other rows are listed meanwhile."""
        if list(places) != list(self.places_of(piece)):
            return
        self._asked.discard(piece)
        self._pieces[piece] = [found.get(place) for place in places]
        while len(self._pieces) > _KEPT:
            self._pieces.popitem(last=False)
        first = piece * PIECE
        self.dataChanged.emit(self.index(first), self.index(first + len(places) - 1))

    def give_up(self, piece: int) -> None:
        """What could not be read is asked for again when it is looked at again."""
        self._asked.discard(piece)

    def record(self, row: int) -> ContentRecord | None:
        """What is in a row, as far as it was read; asks for it otherwise."""
        if not 0 <= row < len(self.places):
            return None
        piece = row // PIECE
        if (kept := self._pieces.get(piece)) is not None:
            self._pieces.move_to_end(piece)
            return kept[row % PIECE]
        if piece not in self._asked:
            self._asked.add(piece)
            self.wanted.emit(piece)
        return None

    def row_of(self, place: int) -> int:
        """The row of a place, -1 where it does not show."""
        try:
            return self.places.index(place)
        except ValueError:
            return -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self.places)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The record, its lines, and everything that the row shows."""
        if role not in (RECORD, FACTS, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        record = self.record(index.row())
        if record is None or role == RECORD:
            return record
        if role == Qt.ItemDataRole.DisplayRole:
            return headline(record)
        words = facts if role == FACTS else spoken
        return words(record, self._zone, is_own=self._is_own(record))
