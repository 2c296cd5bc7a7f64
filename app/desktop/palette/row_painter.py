"""Paints the lines of results."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.desktop.palette.line import Line
from app.desktop.palette.rows import Entry, Heading, Row, Spans
from app.desktop.theme import theme
from app.desktop.widgets.text import TextFitter

HEADING = 30
ENTRY = 38
ROW_ROLE = Qt.ItemDataRole.UserRole
_ICON = 16
_STATE = 14
_GAP = 12
_COLUMNS = (170, 128)
"""The widths of the facts, counted from the end."""

_LEAST_TITLE = 200
_BEFORE = 24
"""So many letters are shown before a find that would stand beyond the end."""


class RowPainter(QStyledItemDelegate):
    """Icon, title and quiet detail from the start; state, keys and facts from the end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        theme.follow(self._restyle)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option
        return QSize(100, HEADING if isinstance(index.data(ROW_ROLE), Heading) else ENTRY)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paints one row in the theme that is in force."""
        row: Row = index.data(ROW_ROLE)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        line = Line(painter, area, option.direction)
        if isinstance(row, Heading):
            self._paint_heading(line, row)
            return
        if state & QStyle.StateFlag.State_Selected:
            line.ground("accent_soft")
        elif state & QStyle.StateFlag.State_MouseOver and row.enabled:
            line.ground("sunken")
        self._paint_entry(line, row)

    def _restyle(self) -> None:
        look = theme.current()
        self._text = TextFitter(look.font("text"))
        self._quiet = TextFitter(look.font("card"))
        self._when = TextFitter(look.font("clock"))
        self._small = TextFitter(look.font("small", QFont.Weight.Medium))

    def _paint_heading(self, line: Line, row: Heading) -> None:
        line.write(row.title, self._small, "text3", line.take(line.room - 80))
        line.write(row.count, self._small, "text3", line.take_back(line.room), at_end=True)

    def _paint_entry(self, line: Line, row: Entry) -> None:
        line.icon(row.icon, row.tint if row.enabled else "text3", line.take(_ICON))
        line.take(_GAP)
        facts = row.said.facts
        if facts:
            state = line.take_back(_STATE)
            line.take_back(_GAP)
            if row.glyph:
                line.icon(row.glyph, row.glyph_tint, state)
        for cap in reversed(row.caps):
            line.cap(cap, self._small)
        widths = [round(width * theme.current().scale) for width in _COLUMNS]
        for fact, width in zip(reversed(facts), widths, strict=False):
            if line.room - width < _LEAST_TITLE:
                break
            is_last = width == widths[0]
            writer = self._when if is_last else self._quiet
            line.write(fact, writer, "text3", line.take_back(width), at_end=is_last)
            line.take_back(_GAP)
        self._paint_title(line, row)

    def _paint_title(self, line: Line, row: Entry) -> None:
        ink = "text" if row.enabled else "text3"
        title, spans = fitted(row.title, row.said.spans, self._text, line.room)
        line.write_found(title, self._text, ink, spans, line.take(self._text.width(title) + 2))
        if row.detail and line.room > 40:
            line.take(_GAP)
            line.write(row.detail, self._quiet, "text3", line.take(line.room))


def fitted(title: str, spans: Spans, text: TextFitter, room: float) -> tuple[str, Spans]:
    """The title as far as there is room, with the first find in view."""
    if spans and text.width(title[: spans[0][1]]) > room - 20:
        cut = title.rfind(" ", 0, max(0, spans[0][0] - _BEFORE)) + 1
        title = f"…{title[cut:]}" if cut else title
        spans = tuple((start - cut + 1, end - cut + 1) for start, end in spans) if cut else spans
    shown = text.elided(title, room)
    return shown, tuple((start, min(end, len(shown))) for start, end in spans if start < len(shown))
