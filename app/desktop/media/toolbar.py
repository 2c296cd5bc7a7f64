"""The toolbar above the grid: search, type, order, and adding files."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.media.grid import MARGIN
from app.desktop.media.model import FORMS, KINDS, ORDERS
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import ComboBox, Label, LineEdit, Segmented, primary, secondary
from app.desktop.widgets.painting import insets
from app.language import figure, tr, trn

_SEARCH_LEAST, _SEARCH_USUAL, _SEARCH = 124, 150, 220
"""Widths of the search field, in logical pixels at 100 %. Its own hint grows once there is text to clear."""
_GAP = 10
_MOST_LINES = 8
_MUCH, _LESS, _ICONS = 2, 1, 0
"""How much the buttons say."""


class MediaToolbar(QWidget):
    """Search, types, order, import and add. In little space, buttons lose their labels."""

    narrowed = Signal()
    """Other files show, or in another order."""
    reshaped = Signal()
    """Files show as pictures, or as a list."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._lines = [QHBoxLayout() for _ in range(_MOST_LINES)]
        self._broken_now: list[list[QWidget]] = []
        self._title = Label(tr("Media"), "title")
        self.count, self._every = Label("", "card", "text3"), 0
        self.search = LineEdit(icon="search")
        self.kinds = Segmented(list(KINDS.items()), tr("File types"))
        self.order = ComboBox()
        self.form = Segmented(list(FORMS.items()), tr("File view"))
        self.import_button = secondary(tr("Import from URL"), "link")
        self.add_button = primary(tr("Add files"), "plus")
        self._lay_out()
        self.search.textChanged.connect(lambda _text: self.narrowed.emit())
        self.kinds.selected.connect(lambda _key: self.narrowed.emit())
        self.form.selected.connect(lambda _key: self.reshaped.emit())
        self.order.currentIndexChanged.connect(lambda _row: self.narrowed.emit())
        theme.follow(self._fit)

    def order_key(self) -> str:
        """The key of the current order."""
        return str(self.order.currentData())

    def set_order(self, key: str) -> None:
        """Set the order by its key; unknown keys are ignored."""
        if (row := self.order.findData(key)) >= 0:
            self.order.setCurrentIndex(row)

    def show_count(self, shown: int, every: int) -> None:
        """Show how many files match, of how many."""
        self.count.setText(_count(shown, every) if every else "")
        self._every = every
        self._fit()

    def show_choices(self, *, any_: bool) -> None:
        """Show the controls if there are files; without any, the pane itself has a button to add some."""
        for widget in (self.search, self.kinds, self.order, self.form, self.add_button):
            widget.setVisible(any_)
        self._fit()

    def clear(self) -> None:
        """Clear all filters."""
        self.search.clear()
        self.kinds.set_value("all")

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest part, since each can have its own line."""
        widest = max(part.minimumSizeHint().width() for part in (self.search, self.kinds, self.order))
        return QSize(MARGIN + widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Remove labels in little space, then wrap to another line."""
        super().resizeEvent(event)
        self._fit()

    def _parts(self) -> list[QWidget]:
        """Return the visible parts in order."""
        every = (
            self._title,
            self.count,
            self.search,
            self.kinds,
            self.order,
            self.form,
            self.import_button,
            self.add_button,
        )
        return [part for part in every if not part.isHidden()]

    def _fit(self) -> None:
        """Use as few lines as possible, with as many labels as fit; the same while the user types."""
        metrics = self.count.fontMetrics()
        longest = (_count(shown, self._every) for shown in (self._every, self._every - 1))
        self.count.setMinimumWidth(max(map(metrics.horizontalAdvance, longest)) if self._every else 0)
        self._say(_ICONS)
        least = lines = self._broken()
        for words in (_LESS, _MUCH):
            self._say(words)
            more = self._broken(of_usual_width=True)
            if len(more) > len(least):
                self._say(words - 1)
                break
            lines = more
        if lines != self._broken_now:
            self._broken_now = lines
            self._fill(lines)

    def _broken(self, *, of_usual_width: bool = False) -> list[list[QWidget]]:
        """Return the visible parts by line. ``of_usual_width``: the search field isn't shrunk."""
        lines: list[list[QWidget]] = [[]]
        room = self.width() - MARGIN
        left = room
        for part in self._parts():
            width = self._width_of(part, of_usual_width=of_usual_width)
            needed = width + (_GAP if lines[-1] else 0)
            if needed > left and lines[-1]:
                lines.append([])
                left, needed = room, width
            lines[-1].append(part)
            left -= needed
        return lines

    def _width_of(self, part: QWidget, *, of_usual_width: bool) -> int:
        if part is self.search:
            return theme.current().grown(_SEARCH_USUAL if of_usual_width else _SEARCH_LEAST)
        hint = part.sizeHint() if of_usual_width else part.minimumSizeHint()
        return max(hint.width(), part.minimumWidth())

    def _fill(self, lines: list[list[QWidget]]) -> None:
        for line in self._lines:
            while line.takeAt(0) is not None:
                pass
        for line, parts in zip(self._lines, lines, strict=False):
            for part in parts:
                if part is self.import_button:  # the buttons for adding files are at the far edge
                    line.addStretch(1)
                line.addWidget(part, 1 if part is self.search else 0)
            if self.import_button not in parts:
                line.addStretch(1)
        self._column.activate()  # now, so that nothing is painted in between

    def _say(self, words: int) -> None:
        self.count.setVisible(words == _MUCH)
        importing = tr("Import from URL") if words == _MUCH else tr("Import")
        self.import_button.setText("" if words == _ICONS else importing)
        self.add_button.setText("" if words == _ICONS else tr("Add files"))
        for button in (self.import_button, self.add_button):
            button.updateGeometry()

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search files"))
        self.search.setAccessibleName(tr("Search files"))
        self.search.offer_to_clear()
        grow(self.search, QWidget.setMinimumWidth, _SEARCH_LEAST)
        grow(self.search, QWidget.setMaximumWidth, _SEARCH)
        self.order.setAccessibleName(tr("Sort files"))
        for key, (label, _value, _backwards) in ORDERS.items():
            self.order.addItem(label, key)
        self.import_button.setAccessibleName(tr("Import from URL"))
        self.import_button.setToolTip(tr("Import a file from a public URL (Ctrl+L)"))
        self.add_button.setAccessibleName(tr("Add files"))
        self.add_button.setToolTip(tr("Upload images and videos from this computer (Ctrl+U)"))
        self._column.setContentsMargins(insets(MARGIN, 0, 0, 0))
        for line in self._lines:
            line.setSpacing(_GAP)
            self._column.addLayout(line)
        for part in (self._title, self.count, self.search, self.kinds, self.order, self.form):
            self._lines[0].addWidget(part)
        for button in (self.import_button, self.add_button):
            self._lines[0].addWidget(button)


def _count(shown: int, every: int) -> str:
    whole = figure(f"{every:,}")
    if shown == every:
        return trn("{n} file", "{n} files", every, n=whole)
    some = figure(f"{shown:,}")
    return trn("{shown} of {n} file", "{shown} of {n} files", every, n=whole, shown=some)
