"""How days and the window look: zone, first day of the week, theme, size of text."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop import week
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.shell.window import TEXT_SIZES, MainWindow
from app.desktop.theme.growing import grow
from app.desktop.widgets import ComboBox, Segmented, ZonePicker, secondary

_WEEKDAYS: Final = ((week.MONDAY, "Monday"), (week.SUNDAY, "Sunday"), (week.SATURDAY, "Saturday"))
_MODES: Final = (("system", "Like the system"), ("light", "Light"), ("dark", "Dark"))
_ZONE: Final = (
    "In which days and times show. Posts keep their instant: in another zone they stand at another time."
)


class LooksSection(Section):
    """Every choice is in force at once, and kept."""

    days_changed = Signal()
    """Zone or first day of the week is another one: what shows days is to be made anew."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__("Dates and look")
        self._window = window
        self.zone = ZonePicker(window.system_zone)
        self.own_zone = secondary("Use this computer's", size="small")
        self.weekday = Segmented([(str(day), name) for day, name in _WEEKDAYS], "First day of the week")
        self.mode = Segmented(_MODES, "Theme")
        self.text_size = ComboBox()
        self._zone_row = SettingRow("Time zone", _ZONE, self.own_zone, self.zone)
        self._lay_out()
        self._show()
        self._connect()

    def _show(self) -> None:
        """What is in force, whoever chose it."""
        self.zone.set_zone(self._window.zone)
        self.own_zone.setVisible(not self._window.follows_system_zone)
        follows = f" Now it is this computer's, {self._window.system_zone.key}, and follows it."
        self._zone_row.say(_ZONE + (follows if self._window.follows_system_zone else ""))
        self.weekday.set_value(str(week.first_weekday()))
        self.mode.set_value(self._window.appearance)
        self.text_size.setCurrentIndex(TEXT_SIZES.index(self._window.text_size))

    def _choose_zone(self, zone: ZoneInfo | None) -> None:
        chosen = zone.key if zone is not None else self._window.system_zone.key
        is_other = chosen != self._window.zone.key
        if not is_other and (zone is not None or self._window.follows_system_zone):
            return
        self._window.choose_zone(zone)
        self._show()
        if is_other:
            self.days_changed.emit()

    def _choose_weekday(self, day: str) -> None:
        if int(day) != week.first_weekday():
            self._window.choose_first_weekday(int(day))
            self.days_changed.emit()

    def _choose_text_size(self, index: int) -> None:
        steps = index - TEXT_SIZES.index(self._window.text_size)
        if steps:
            self._window.change_text_size(steps)

    def _connect(self) -> None:
        self.zone.zone_changed.connect(lambda: self._choose_zone(self.zone.zone()))
        self.own_zone.clicked.connect(lambda: self._choose_zone(None))
        self.weekday.selected.connect(self._choose_weekday)
        self.mode.selected.connect(self._window.set_appearance)
        self.text_size.activated.connect(self._choose_text_size)
        self._window.appearance_changed.connect(self._show)

    def _lay_out(self) -> None:
        grow(self.zone, QWidget.setFixedWidth, 230)
        self.text_size.setAccessibleName("Size of text")
        self.text_size.addItems([f"{size} %" for size in TEXT_SIZES])
        days, look = SettingsCard("Days"), SettingsCard("Look")
        days.add(self._zone_row)
        days.add(
            SettingRow("First day of the week", "Of months, weeks and the calendars in fields.", self.weekday)
        )
        look.add(SettingRow("Theme", "Like the system also follows its high contrast.", self.mode))
        look.add(
            SettingRow("Size of text", "Also with Ctrl and plus, minus or 0, everywhere.", self.text_size)
        )
        self.body.addWidget(days)
        self.body.addWidget(look)
        self.finish()
