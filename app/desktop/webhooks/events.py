"""The choice of events."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.contract.enums import EventType
from app.desktop.webhooks.wording import EVENTS
from app.desktop.widgets import CheckBox


class EventChoice(QWidget):
    """A box for each event; those of a newer service, too."""

    changed = Signal()
    """The person chose others."""

    def __init__(self, chosen: Iterable[EventType] = ()) -> None:
        super().__init__()
        self.boxes: dict[EventType, CheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)
        for event in EVENTS:
            self._add(event)
        self.set_chosen(chosen)

    def chosen(self) -> list[EventType]:
        """What is chosen, in the order of the boxes."""
        return [event for event, box in self.boxes.items() if box.isChecked()]

    def set_chosen(self, events: Iterable[EventType]) -> None:
        """Shows what is chosen, without telling."""
        wanted = list(events)
        for event in [known for known in self.boxes if known not in EVENTS and known not in wanted]:
            self._drop(event)
        for event in wanted:
            if event not in self.boxes:
                self._add(event)
        for event, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(event in wanted)
            box.blockSignals(False)

    def _add(self, event: EventType) -> None:
        box = self.boxes[event] = CheckBox(event.value)
        box.setToolTip(EVENTS.get(event, ""))
        box.setAccessibleDescription(EVENTS.get(event, ""))
        box.toggled.connect(lambda _on: self.changed.emit())
        column, row = divmod(len(self.boxes) - 1, 3)
        self._grid.addWidget(box, row, column)

    def _drop(self, event: EventType) -> None:
        box = self.boxes.pop(event)
        self._grid.removeWidget(box)
        box.hide()
        box.deleteLater()
