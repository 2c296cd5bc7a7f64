"""Above the list: what is looked for, and the ways out."""

from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.history.wording import KINDS, via_name
from app.desktop.theme import theme
from app.desktop.theme.growing import grow
from app.desktop.widgets import ComboBox, Label, LineEdit, Reflow, line_of, secondary
from app.desktop.words import platform_name
from app.language import number, tr
from app.workspace.published.rows import Choices, PublishedFilter

_NARROW: Final = 880
_PAUSE_MS: Final = 120


class HistoryToolbar(QWidget):
    """Search, platform, kind and surface; it leaves words out where there is little room."""

    narrowed = Signal()
    """Something else is looked for."""

    def __init__(self, refresh_button: QWidget) -> None:
        super().__init__()
        self.refresh_button = refresh_button
        self.count, self.search = Label("", "card", "text3"), LineEdit(icon="search")
        self.platform, self.kind, self.via = ComboBox(), ComboBox(), ComboBox()
        self.export_button = secondary(tr("Export"), "download")
        self._pause = QTimer(self)
        self._lay_out()
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self.narrowed)
        self.search.textChanged.connect(lambda _text: self._pause.start())
        for combo in (self.platform, self.kind, self.via):
            combo.currentIndexChanged.connect(lambda _row: self.narrowed.emit())

    def wanted(self) -> PublishedFilter:
        """What is looked for."""
        platform, kind, via = (str(one.currentData() or "") for one in (self.platform, self.kind, self.via))
        return PublishedFilter(self.search.text(), platform, kind, via)

    def show_choices(self, choices: Choices) -> None:
        """Offer what there is; what is chosen stays so."""
        _fill(self.platform, [(value, platform_name(value)) for value in choices.platforms])
        _fill(self.via, [(value, via_name(value)) for value in choices.vias])
        for widget in (self.search, self.platform, self.kind, self.via):
            widget.setVisible(choices.count > 0)
        self._fit()

    def show_count(self, shown: int, every: int) -> None:
        """Tell how much shows, and of how much; only what shows can be exported."""
        self.export_button.setEnabled(shown > 0)
        text = (
            tr("{n} published", n=number(every))
            if shown == every
            else tr("{shown} of {every} published", shown=number(shown), every=number(every))
        )
        self.count.setText(text if every else "")

    def clear(self) -> None:
        """Look for everything again."""
        self.search.clear()
        for combo in (self.platform, self.kind, self.via):
            combo.setCurrentIndex(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out words where there is little room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wide = self.width() >= theme.current().grown(_NARROW)
        self.count.setVisible(wide)
        self.via.setVisible(bool(self.via.currentData()) or (wide and self.via.count() > 2))
        self.export_button.setText(tr("Export") if wide else "")
        self.export_button.updateGeometry()

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search"))
        self.search.setAccessibleName(tr("Search published posts"))
        self.search.offer_to_clear()
        grow(self.search, QWidget.setMinimumWidth, 120)
        grow(self.search, QWidget.setMaximumWidth, 240)
        self.export_button.setEnabled(False)
        self.export_button.setAccessibleName(tr("Export as CSV"))
        self.export_button.setToolTip(tr("Export the rows shown as CSV"))
        for combo, name, first in (
            (self.platform, tr("Platform"), tr("All platforms")),
            (self.kind, tr("Type"), tr("All types")),
            (self.via, tr("Source"), tr("All sources")),
        ):
            combo.setAccessibleName(name)
            combo.addItem(first, "")
        for kind, label in KINDS.items():
            self.kind.addItem(label, kind.value)
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.search, 1)
        for combo in (self.platform, self.kind, self.via):
            row.addWidget(combo)
        row.addStretch(1)
        row.addWidget(self.refresh_button)
        row.addWidget(self.export_button)
        both = Reflow((0, 1), gap=16)
        both.add(line_of(Label(tr("History"), "title"), self.count, gap=10), 0, 0)
        both.add(tools, 0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(both)


def _fill(combo: ComboBox, choices: list[tuple[str, str]]) -> None:
    chosen = combo.currentData()
    there = [combo.itemData(row) for row in range(1, combo.count())]
    if there == [value for value, _label in choices]:
        return
    combo.blockSignals(True)
    while combo.count() > 1:
        combo.removeItem(1)
    for value, label in choices:
        combo.addItem(label, value)
    combo.setCurrentIndex(max(0, combo.findData(chosen)))
    combo.blockSignals(False)
