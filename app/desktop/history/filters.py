"""The filters of the history, in a panel below their button."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop.history.wording import KINDS, via_name
from app.desktop.theme.growing import grow
from app.desktop.widgets import ComboBox, Field, Popover, quiet
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.published import Choices, PublishedFilter

_WIDTH = 240


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
        self.reset = quiet(tr("Reset"), size="small")
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
