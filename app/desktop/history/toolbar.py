"""The toolbar above the list: search, filters and export."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.history.wording import KINDS, via_name
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets import ComboBox, Field, Label, LineEdit, Popover, Reflow, line_of, quiet, secondary
from app.desktop.words import platform_name
from app.language import number, tr
from app.workspace.published import Choices, PublishedFilter

_WIDTH = 240
_NARROW: Final = 760
_PAUSE_MS: Final = 120


class FilterPopover(Popover):
    """Applies each choice immediately."""

    changed = Signal(object)
    """The PublishedFilter that was chosen."""

    def __init__(self, parent: QWidget, choices: Choices, chosen: PublishedFilter) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Filter"))
        self._chosen = chosen
        self.platform = _combo(
            tr("All platforms"), {value: platform_name(value) for value in choices.platforms}, chosen.platform
        )
        kinds = {kind.value: label for kind, label in KINDS.items()}
        self.kind = _combo(tr("All types"), kinds, chosen.kind)
        self.via = _combo(tr("Any source"), {value: via_name(value) for value in choices.vias}, chosen.via)
        self.reset = quiet(tr("Show all"), size="small")
        for name, combo in (
            (tr("Platform"), self.platform),
            (tr("Type"), self.kind),
            (tr("Source"), self.via),
        ):
            self.body.addWidget(Field(name, combo))
            combo.currentIndexChanged.connect(self._take)
        self.body.addWidget(self.reset)
        self.reset.clicked.connect(self._reset)
        self.reset.setEnabled(bool(chosen))
        grow(self, QWidget.setFixedWidth, _WIDTH)

    def _take(self) -> None:
        platform, kind, via = (str(one.currentData()) for one in (self.platform, self.kind, self.via))
        self._chosen = replace(self._chosen, platform=platform, kind=kind, via=via)
        self.reset.setEnabled(bool(self._chosen))
        self.changed.emit(self._chosen)

    def _reset(self) -> None:
        for combo in (self.platform, self.kind, self.via):
            combo.setCurrentIndex(0)


def _combo(every: str, choices: dict[str, str], chosen: str) -> ComboBox:
    combo = ComboBox()
    combo.addItem(every, "")
    for value, label in choices.items():
        combo.addItem(label, value)
    combo.setCurrentIndex(max(0, combo.findData(chosen)))
    return combo


class HistoryToolbar(QWidget):
    """Hides labels in little space."""

    narrowed = Signal()
    """The search or the filter changed."""

    def __init__(self, refresh_button: QWidget) -> None:
        super().__init__()
        self.refresh_button = refresh_button
        self._choices, self._chosen = Choices(), PublishedFilter()
        self.count, self.search = Label("", "card", "text3"), LineEdit(icon="search")
        self.filter_button = secondary(tr("Filter"), "funnel")
        self.export_button = secondary(tr("Export"), "download")
        self._pause = QTimer(self)
        self._lay_out()
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self.narrowed)
        self.search.textChanged.connect(lambda _text: self._pause.start())
        self.filter_button.clicked.connect(self.ask)

    def wanted(self) -> PublishedFilter:
        """Return the current search."""
        return replace(self._chosen, words=self.search.text())

    def show_choices(self, choices: Choices) -> None:
        """Show the available filters, keeping the current selection."""
        self._choices = choices
        for widget in (self.search, self.filter_button):
            widget.setVisible(choices.count > 0)
        self._fit()

    def show_count(self, shown: int, every: int) -> None:
        """Show the number of rows; only listed rows can be exported."""
        self.export_button.setEnabled(shown > 0)
        text = (
            tr("{n} published", n=number(every))
            if shown == every
            else tr("{shown} of {every} published", shown=number(shown), every=number(every))
        )
        self.count.setText(text if every else "")

    def ask(self) -> FilterPopover:
        """Open the filters."""
        popover = FilterPopover(self.filter_button, self._choices, self._chosen)
        popover.changed.connect(self._filter)
        popover.open_below(self.filter_button)
        popover.platform.setFocus()
        return popover

    def clear(self) -> None:
        """Clear search and filters."""
        self.search.clear()
        self._filter(PublishedFilter())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide labels in little space."""
        super().resizeEvent(event)
        self._fit()

    def _filter(self, chosen: PublishedFilter) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self._fit()
            self.narrowed.emit()

    def _fit(self) -> None:
        wide = self.width() >= theme.current().grown(_NARROW)
        self.count.setVisible(wide)
        active = sum(map(bool, (self._chosen.platform, self._chosen.kind, self._chosen.via)))
        name = tr("Filter ({n})", n=active) if active else tr("Filter")
        for button, words, accessible in (
            (self.filter_button, name, name),
            (self.export_button, tr("Export"), tr("Export as CSV")),
        ):
            button.setText(words if wide or (active and button is self.filter_button) else "")
            button.setAccessibleName(accessible)
            button.updateGeometry()
        self.filter_button.set_icon("funnel", "accent" if active else "")

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search posts"))
        self.search.setAccessibleName(tr("Search published posts"))
        self.search.offer_to_clear()
        grow(self.search, QWidget.setMinimumWidth, 120)
        grow(self.search, QWidget.setMaximumWidth, 240)
        self.filter_button.setToolTip(tr("Filter by platform, type or source"))
        self.export_button.setEnabled(False)
        self.export_button.setToolTip(tr("Export the rows shown as CSV"))
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.search, 3)
        for widget in (self.filter_button, self.refresh_button, self.export_button):
            row.addWidget(widget)
        both = Reflow((0, 1), gap=16)
        both.add(line_of(Label(tr("History"), "title"), self.count, gap=10), 0, 0)
        both.add(tools, 0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(both)
