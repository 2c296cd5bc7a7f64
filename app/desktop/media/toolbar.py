"""Above the grid: what shows, in which order, and the ways in."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.media.model import FORMS, KINDS, ORDERS
from app.desktop.media.tile import MARGIN
from app.desktop.theme import theme
from app.desktop.theme.growing import grow
from app.desktop.widgets import ComboBox, Label, LineEdit, Segmented, primary, secondary
from app.language import figure, tr, trn

_NARROW = 900
_SEARCH = 220
_MUCH, _LESS, _ICONS = 2, 1, 0
"""How much the buttons say."""


class MediaToolbar(QWidget):
    """Search, kinds, order, import and add; it leaves words out where there is little room."""

    narrowed = Signal()
    """Other files show, or in another order."""
    reshaped = Signal()
    """Files show as pictures, or as a list."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self.count = Label("", "card", "text3")
        self.search = LineEdit(icon="search")
        self.kinds = Segmented(list(KINDS.items()), tr("Kinds of files"))
        self.order = ComboBox()
        self.form = Segmented(list(FORMS.items()), tr("How files show"))
        self.import_button = secondary(tr("Import from URL"), "link")
        self.add_button = primary(tr("Add files"), "plus")
        self._lay_out()
        self.search.textChanged.connect(lambda _text: self.narrowed.emit())
        self.kinds.selected.connect(lambda _key: self.narrowed.emit())
        self.form.selected.connect(lambda _key: self.reshaped.emit())
        self.order.currentIndexChanged.connect(lambda _row: self.narrowed.emit())

    def order_key(self) -> str:
        """The key of the order in force."""
        return str(self.order.currentData())

    def set_order(self, key: str) -> None:
        """Choose an order by its key; an unknown one changes nothing."""
        if (row := self.order.findData(key)) >= 0:
            self.order.setCurrentIndex(row)

    def show_count(self, shown: int, every: int) -> None:
        """Tell how many files show, and of how many."""
        self.count.setText(_count(shown, every) if every else "")

    def show_choices(self, *, any_: bool) -> None:
        """Without files there is nothing to look for, and the way in stands in the middle of the pane."""
        for widget in (self.search, self.kinds, self.order, self.form, self.add_button):
            widget.setVisible(any_)

    def clear(self) -> None:
        """Show all files again."""
        self.search.clear()
        self.kinds.set_value("all")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out words where there is little room."""
        super().resizeEvent(event)
        self._say(_MUCH if self.width() >= theme.current().grown(_NARROW) else _LESS)
        for words in (_LESS, _ICONS):
            if self._row.sizeHint().width() > self.width():
                self._say(words)

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
        self.search.setClearButtonEnabled(True)
        grow(self.search, QWidget.setMaximumWidth, _SEARCH)
        self.order.setAccessibleName(tr("Order of files"))
        for key, (label, _value, _backwards) in ORDERS.items():
            self.order.addItem(label, key)
        self.import_button.setAccessibleName(tr("Import from URL"))
        self.import_button.setToolTip(
            tr("Have the service fetch a file from a public address (Ctrl+Shift+U)")
        )
        self.add_button.setAccessibleName(tr("Add files"))
        self.add_button.setToolTip(tr("Upload images and videos of this computer (Ctrl+U)"))
        row = self._row
        row.setContentsMargins(MARGIN, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(Label(tr("Media"), "title"))
        row.addWidget(self.count)
        row.addSpacing(6)
        row.addWidget(self.search, 1)
        row.addWidget(self.kinds)
        row.addWidget(self.order)
        row.addWidget(self.form)
        row.addStretch()
        row.addWidget(self.import_button)
        row.addWidget(self.add_button)


def _count(shown: int, every: int) -> str:
    whole = figure(f"{every:,}")
    if shown == every:
        return trn("{n} file", "{n} files", every, n=whole)
    some = figure(f"{shown:,}")
    return trn("{shown} of {n} file", "{shown} of {n} files", every, n=whole, shown=some)
