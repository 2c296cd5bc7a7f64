"""The list of results, controlled by the keys of the line above it, and the footer below it."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop.commands import spoken
from app.desktop.palette.rows import Entry, Heading, Line, Row, Spans
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import Button, KeyHint, Label
from app.desktop.widgets.painting import insets
from app.desktop.widgets.screen_reader import ListView, announce_focus
from app.desktop.widgets.text import TextFitter
from app.language import tr, trn

HEADING = 30
ENTRY = 38
ROW_ROLE = Qt.ItemDataRole.UserRole
_ICON = 16
_STATE = 14
_GAP = 12
_COLUMNS = (170, 128)
"""Widths of the facts, from the end."""

_LEAST_TITLE = 200
_BEFORE = 24
"""Number of letters shown before a match that would be cut off."""
_NO_PARENT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
_HEIGHT = 42


class RowPainter(QStyledItemDelegate):
    """Paints icon, title and detail from the start; state, keys and facts from the end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        theme.follow(self._restyle)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option
        return QSize(100, HEADING if isinstance(index.data(ROW_ROLE), Heading) else ENTRY)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one row in the current theme."""
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
        line.icon(row.icon, row.tint if row.enabled else "text3", line.take(theme.current().grown(_ICON)))
        line.take(_GAP)
        facts = row.said.facts
        if facts:
            state = line.take_back(theme.current().grown(_STATE))
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
    """Return the part of the title that fits, including the first match."""
    if spans and text.width(title[: spans[0][1]]) > room - 20:
        cut = title.rfind(" ", 0, max(0, spans[0][0] - _BEFORE)) + 1
        title = f"…{title[cut:]}" if cut else title
        spans = tuple((start - cut + 1, end - cut + 1) for start, end in spans) if cut else spans
    shown = text.elided(title, room)
    return shown, tuple((start, min(end, len(shown))) for start, end in spans if start < len(shown))


class RowModel(QAbstractListModel):
    """The rows of the list, replaced together."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row, its title, or the whole line as text."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.said.words if isinstance(row, Entry) else f"{row.title}, {row.count}".rstrip(", ")
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings and disabled entries cannot be chosen."""
        row = self.rows[index.row()] if index.isValid() else None
        if isinstance(row, Entry) and row.enabled:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemNeverHasChildren


class ResultList(ListView):
    """Shows rows and keeps one entry current. Never gets the focus."""

    chosen = Signal(object)
    """The entry that was clicked, or chosen with Enter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = RowModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(RowPainter(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        # This paints every pixel. Otherwise Qt also repaints everything below at each key.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(tr("Results"))

    @property
    def rows(self) -> Sequence[Row]:
        """The shown rows."""
        return self._rows.rows

    @property
    def current(self) -> Entry | None:
        """The current entry, which Enter runs."""
        index = self.currentIndex()
        row = self.rows[index.row()] if index.isValid() else None
        return row if isinstance(row, Entry) else None

    def show_rows(self, rows: Sequence[Row], *, keep: bool = False) -> None:
        """Show other rows. The first entry becomes current; with ``keep``, the previous one stays."""
        kept = self.current.key if keep and self.current else ""
        offset = self.verticalScrollBar().value() if keep else 0
        self._rows.show_rows(rows)
        keys = [row.key if isinstance(row, Entry) else None for row in rows]
        self._go_to(keys.index(kept) if kept in keys else self._first())
        self.verticalScrollBar().setValue(offset)

    def walk(self, steps: int) -> None:
        """Move down by a number of entries, and wrap at the end."""
        places = self._places()
        if not places:
            return
        row = self.currentIndex().row()
        at = places.index(row) if row in places else -1
        is_page = abs(steps) > 1
        following = max(0, min(at + steps, len(places) - 1)) if is_page else (at + steps) % len(places)
        self._go_to(places[following])
        if following == 0:
            self.scrollToTop()

    def choose(self) -> None:
        """Run the current entry."""
        if self.current is not None:
            self.chosen.emit(self.current)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background, then the rows."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme.current().color("raised"))
        painter.end()
        super().paintEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make the entry below the pointer current."""
        if (row := self._at(event.position().toPoint())) is not None:
            self._go_to(row)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Run the clicked entry."""
        if event.button() is Qt.MouseButton.LeftButton:
            row = self._at(event.position().toPoint())
            if row is not None and row == self.currentIndex().row():
                self.choose()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ignore the second click of a double click."""

    def _at(self, point: QPoint) -> int | None:
        index = self.indexAt(point)
        return index.row() if index.isValid() and index.row() in self._places() else None

    def _places(self) -> list[int]:
        return [at for at, row in enumerate(self.rows) if not isinstance(row, Heading) and row.enabled]

    def _first(self) -> int:
        return next(iter(self._places()), -1)

    def _go_to(self, row: int) -> None:
        self.setCurrentIndex(self._rows.index(row) if row >= 0 else QModelIndex())
        if row >= 0:
            announce_focus(self, row)


_OF_ROWS = 2
"""Number of hints to keys that need a result; they come first."""


class Footer(QWidget):
    """Hints, and a button that selects all matching posts in the calendar."""

    all_chosen = Signal()
    search_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        grow(self, QWidget.setFixedHeight, _HEIGHT)
        self.all = Button("", "quiet", size="small", key_hint=spoken("Ctrl+Return"))
        self.search = Button(tr("Search everything"), "quiet", size="small", key_hint=spoken("Ctrl+F"))
        self._open = Label(tr("Run"), "card", "text3")
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(18, 0, 8, 0))
        row.setSpacing(8)
        self._hints = [
            (KeyHint(keys), label)
            for keys, label in (
                ("↑ ↓", Label(tr("Navigate"), "card", "text3")),
                (spoken("Return"), self._open),
                ("Esc", Label(tr("Close"), "card", "text3")),
            )
        ]
        self._has_rows = True
        for hint, label in self._hints:
            label.setContentsMargins(insets(0, 0, 8, 0))
            row.addWidget(hint)
            row.addWidget(label)
        row.addStretch(1)
        row.addWidget(self.search)
        row.addWidget(self.all)
        self.all.clicked.connect(self.all_chosen)
        self.search.clicked.connect(self.search_asked)
        self.show_matching(None)

    def show_mode(self, *, searching: bool) -> None:
        """Show what Enter does, and how to switch to the search."""
        self._open.setText(tr("Open") if searching else tr("Run"))
        self.search.setVisible(not searching)
        self._make_room()

    def show_keys_of_rows(self, shown: bool) -> None:
        """Show or hide the hints to keys that need a result."""
        self._has_rows = shown
        self._make_room()

    def show_matching(self, count: int | None) -> None:
        """Offer to select this number of posts; None or 0 hides the button."""
        self.all.setText(trn("Select the matching post", "Select all {n} posts", count or 0))
        self.all.setVisible(bool(count))
        self.all.updateGeometry()
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide hints that don't fit."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Hide the hints to keys that most people know, the last one first, until the buttons fit."""
        margins = self.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 26
        buttons = [one for one in (self.search, self.all) if not one.isHidden()]
        room -= sum(one.sizeHint().width() + 8 for one in buttons)
        for place, (hint, label) in enumerate(self._hints):
            if not self._has_rows and place < _OF_ROWS:
                hint.hide()
                label.hide()
                continue
            room -= hint.sizeHint().width() + label.sizeHint().width() + 16
            for part in (hint, label):
                part.setVisible(room >= 0)
