"""The columns of the list of files: their contents, widths and sort orders."""

from collections.abc import Callable
from dataclasses import dataclass

from app.desktop.media.wording import added, kind_name, length, size
from app.language import tr
from app.workspace.media.library import MediaItem

PICTURE = 40
"""Pixels for the small picture before the name, with the room around it."""
_NAME_LEAST = 140
_GAP = 16


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        sort: What a press on its name does.
        width: In logical pixels; 0 takes what the others leave.
        text: Its content.
        orders: Keys of ``model.ORDERS``: the one of the first press, and the other way round.
        is_number: Whether it's aligned to the far edge.
    """

    title: str
    sort: str
    width: int
    text: Callable[[MediaItem], str]
    orders: tuple[str, str]
    is_number: bool = False


NAME = Column(tr("Name"), tr("Sort by name"), 0, lambda item: item.name, ("name", "name-back"))
SIZE = Column(tr("Size"), tr("Sort by size"), 72, size, ("largest", "smallest"), is_number=True)
LENGTH = Column(
    tr("Length"),
    tr("Sort by length"),
    62,
    lambda item: length(item.file.duration_ms) if item.file.duration_ms is not None else "",
    ("longest", "shortest"),
    is_number=True,
)
USED = Column(
    tr("Used in"),
    tr("Sort by used in"),
    84,
    lambda item: str(len(item.used_in) or ""),
    ("used", "unused"),
    is_number=True,
)
ADDED = Column(tr("Added"), tr("Sort by added"), 92, added, ("newest", "oldest"))
KIND = Column(tr("Type"), tr("Sort by type"), 100, kind_name, ("kind", "kind-back"))
COLUMNS = (NAME, KIND, SIZE, LENGTH, USED, ADDED)
_FIRST_TO_GO = (KIND, ADDED, LENGTH, USED, SIZE)
"""Where there is little room, these go in turn."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column stands, from the near edge."""

    column: Column
    left: int
    width: int


def places(width: int, scale: float) -> list[Place]:
    """Where each column that fits into so many pixels stands, at a size of the text."""
    shown = list(COLUMNS)
    for column in (None, *_FIRST_TO_GO):
        if column is not None:
            shown.remove(column)
        rest = width - PICTURE - sum(round(one.width * scale) + _GAP for one in shown if one.width)
        if rest >= _NAME_LEAST * scale:
            break
    found, left = [], PICTURE
    for column in shown:
        taken = round(column.width * scale) if column.width else max(rest, 1)
        found.append(Place(column, left, taken))
        left += taken + _GAP
    return found
