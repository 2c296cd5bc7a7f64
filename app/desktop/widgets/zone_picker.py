"""A searchable list of time zones."""

import asyncio
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.desktop.aio import TaskScope
from app.desktop.widgets.inputs import ComboBox, redo_pressed
from app.language import city_in, tr

_NO_PLACES = ("Etc/", "SystemV/")


class ZonePicker(ComboBox):
    """An editable list of IANA zones, the calendar's own first. Unknown zones are reverted."""

    zone_changed = Signal()

    def __init__(self, own: ZoneInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zone = self._own = own
        self._line = _Line(self)
        self.setEditable(True)
        self.setLineEdit(self._line)
        self.setInsertPolicy(self.InsertPolicy.NoInsert)
        self.setAccessibleName(tr("Time zone"))
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._line.setProperty("bare", True)
        self.addItem(zone_label(own.key), own.key)
        completer = QCompleter(self.model(), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setCompleter(completer)
        self.activated.connect(self._take)
        completer.activated.connect(self._take)
        self._line.editingFinished.connect(self._take)
        TaskScope(self).start(self._fill())

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's
        """Name the list and its input line."""
        super().setAccessibleName(name)
        self._line.setAccessibleName(name)

    def zone(self) -> ZoneInfo:
        """Return the selected zone."""
        return self._zone

    def set_zone(self, zone: ZoneInfo) -> None:
        """Select a zone."""
        changed = zone.key != self._zone.key
        self._zone = zone
        self._line.setPlaceholderText("")
        self.setEditText(zone_label(zone.key))
        self._line.setCursorPosition(0)
        self.setToolTip(zone_label(zone.key))
        if changed:
            self.zone_changed.emit()

    def ask(self, words: str) -> None:
        """Show these words instead of the selected zone until one is chosen."""
        self._line.setPlaceholderText(words)
        self.setEditText("")
        self.setToolTip("")

    async def _fill(self) -> None:
        names = await asyncio.to_thread(zone_names)
        kept = self.currentText()
        for name in names:
            if name != self._own.key:
                self.addItem(zone_label(name), name)
        self.setEditText(kept)
        self._line.setCursorPosition(0)

    def _take(self) -> None:
        text = self.currentText().strip()
        if not text and self._line.placeholderText():
            return
        index = self.findText(text, Qt.MatchFlag.MatchFixedString)
        if index < 0:
            index = self.findData(text.replace(" ", "_"), flags=Qt.MatchFlag.MatchFixedString)
        self.set_zone(ZoneInfo(self.itemData(index)) if index >= 0 else self._zone)


class _Line(QLineEdit):
    """Elides a name that doesn't fit, except while typing."""

    def event(self, event: QEvent) -> bool:
        """Handle Ctrl+Y."""
        return redo_pressed(self, event) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        metrics, room = QFontMetrics(self.font()), self.rect().adjusted(2, 0, -2, 0)
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if self.hasFocus() or shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().text().color())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, shown)


def zone_label(zone: str) -> str:
    """Return a zone's name, after its city's name if that's another one in the app's language."""
    translated = city_in(zone)
    return zone if zone.replace("_", " ").endswith(translated) else f"{translated} ({zone})"


@cache
def zone_names() -> tuple[str, ...]:
    """Return the names of the zones to offer. Reads the disk the first time."""
    places = (name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES))
    return (*sorted(places), "UTC")
