"""The columns of the history, and which of them a width has room for. No Qt widgets."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QFontMetrics

from app.desktop.kit.row_delegate import width_of
from app.desktop.theme import theme
from app.language import tr

INSET: Final = 16
PICTURE: Final = 40
BAR_HEIGHT: Final = 5
_TIME: Final = 50
_GAP: Final = 12
_TITLE_LEAST: Final = 170
NAMES: Final = {"views": tr("Views"), "likes": tr("Likes"), "comments": tr("Comments")}
_NUMBERS: Final = (("views", 56), ("likes", 50), ("comments", 50))
"""Their least widths; the names above them may need more."""
_BAR: Final = 80
_BEFORE_END: Final = 4
_FIRST_TO_GO: Final = ("bar", "comments", "likes", "time", "views")
"""What a narrow list leaves out, in this order; the panel and the screen reader still have it."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each part of a row is, from left to right; those without room have no box.

    Boxes of numbers and the bar are as high as the row.
    """

    time: QRect | None
    picture: QRect
    title: QRect
    bar: QRect | None
    numbers: dict[str, QRect]


def name_font() -> QFont:
    """Return the font of the names above the columns."""
    return theme.current().font("card", QFont.Weight.Medium)


def columns(area: QRect) -> Columns:
    """Return the columns of a row, or of the names above all rows."""
    look = theme.current()
    widths = {"time": look.grown(_TIME), "bar": look.grown(_BAR)}
    metrics = QFontMetrics(name_font())
    for name, width in _NUMBERS:
        widths[name] = max(look.grown(width), metrics.horizontalAdvance(NAMES[name]) + 1)
    picture, end = look.grown(PICTURE), width_of(1)
    room = area.width() - INSET - picture - _GAP - end - _BEFORE_END - look.grown(_TITLE_LEAST)
    for name in _FIRST_TO_GO:
        if sum(width + _GAP for width in widths.values()) > room:
            del widths[name]

    right = area.right() + 1 - end - _BEFORE_END
    numbers = {}
    for name, _ in reversed(_NUMBERS):
        if name in widths:
            numbers[name] = QRect(right - widths[name], area.top(), widths[name], area.height())
            right -= widths[name] + _GAP
    bar = None
    if "bar" in widths:
        bar = QRect(right - widths["bar"], area.center().y() - BAR_HEIGHT // 2, widths["bar"], BAR_HEIGHT)
        right -= widths["bar"] + _GAP
    left = area.left() + INSET
    moment = None
    if "time" in widths:
        moment = QRect(left, area.top(), widths["time"], area.height())
        left += widths["time"] + _GAP
    tile = QRect(left, area.center().y() - picture // 2 + 1, picture, picture)
    left += picture + _GAP
    return Columns(moment, tile, QRect(left, area.top(), right - left, area.height()), bar, numbers)
