"""Settings for dates and appearance: time zone, first weekday, theme, motion, text size, language."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop import week
from app.desktop.commands import spoken
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.shell.window import MainWindow
from app.desktop.speech import spoken_for
from app.desktop.theme.theme import grow
from app.desktop.widgets import ComboBox, Segmented, Switch, ZonePicker, announce, secondary
from app.language import LANGUAGES, city, current, percent, tr, trc
from app.workspace.preferences import TEXT_SIZES

_WEEKDAYS: Final = (
    (week.MONDAY, trc("weekday", "Monday")),
    (week.SUNDAY, trc("weekday", "Sunday")),
    (week.SATURDAY, trc("weekday", "Saturday")),
)
_MODES: Final = (
    ("system", tr("System")),
    ("light", tr("Light")),
    ("dark", tr("Dark")),
    ("contrast", tr("High contrast")),
)
_MOTIONS: Final = (("system", tr("System")), ("on", tr("On")), ("off", tr("Off")))
_KEYS: Final = {
    "larger": spoken("Ctrl++"),
    "smaller": spoken("Ctrl+-"),
    "usual": spoken("Ctrl+0"),
}
_ZONE: Final = tr("Changing it doesn't move your posts.")
_GROUPING: Final = tr("Group related posts")
_GROUPING_EXPLAINED: Final = tr(
    "Posts from one draft, or with the same text, share a card if they're due at the same time."
)
_SIZE_KEYS: Final = tr("Shortcuts: {larger}, {smaller}, {usual}", **_KEYS)
_LANGUAGE: Final = tr("Takes effect the next time you open Kalends.")
_NEXT_START: Final = tr("Saved. Restart Kalends to switch to {language}.")


class LooksSection(Section):
    """Changes apply immediately, except the language, which changes at the next start."""

    days_changed = Signal()
    """The time zone or the first day of the week changed: panes that show days must be rebuilt."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(tr("Dates and appearance"))
        self._window = window
        self.zone = ZonePicker(window.system_zone)
        self.own_zone = secondary(tr("Use this computer's"), size="small")
        self.weekday = Segmented([(str(day), name) for day, name in _WEEKDAYS], tr("First day of the week"))
        self.grouping = Switch()
        self.mode = Segmented(_MODES, tr("Theme"))
        self.motion = Segmented(_MOTIONS, tr("Animations"))
        self.text_size, self.language = ComboBox(), ComboBox()
        self._language_row = SettingRow(tr("Language"), _LANGUAGE, self.language)
        self._zone_row = SettingRow(tr("Time zone"), _ZONE, self.own_zone, self.zone)
        self._lay_out()
        self._show()
        self._connect()

    def _show(self) -> None:
        """Show the current settings, wherever they were changed."""
        self.zone.set_zone(self._window.zone)
        self.own_zone.setVisible(not self._window.follows_system_zone)
        follows = tr("Follows this computer ({city}).", city=city(self._window.system_zone))
        self._zone_row.say(f"{follows} {_ZONE}" if self._window.follows_system_zone else _ZONE)
        self.weekday.set_value(str(week.first_weekday()))
        self.grouping.setChecked(self._window.preferences.groups_ideas)
        self.mode.set_value(self._window.appearance)
        self.motion.set_value(self._window.motion_mode)
        self.text_size.setCurrentIndex(TEXT_SIZES.index(self._window.text_size))
        self._show_language(self._window.preferences.language)

    def _show_language(self, chosen: str) -> None:
        """Show the chosen language, and how to apply it if another one is in use."""
        self.language.setCurrentIndex(max(0, self.language.findData(chosen)))
        wanted = spoken_for(chosen)
        is_later = wanted != current()
        self._language_row.say(_NEXT_START.format(language=LANGUAGES[wanted]) if is_later else _LANGUAGE)

    def _choose_language(self, index: int) -> None:
        self._window.preferences.language = str(self.language.itemData(index))
        self._show()
        announce(self.language, self._language_row.text.text())

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
        self.grouping.toggled.connect(self._window.group_ideas)
        self.mode.selected.connect(self._window.set_appearance)
        self.motion.selected.connect(self._window.set_motion)
        self.text_size.activated.connect(self._choose_text_size)
        self.language.activated.connect(self._choose_language)
        self._window.appearance_changed.connect(self._show)

    def _lay_out(self) -> None:
        grow(self.zone, QWidget.setFixedWidth, 230)
        self.grouping.setAccessibleName(_GROUPING)
        self.text_size.setAccessibleName(tr("Text size"))
        self.text_size.addItems([percent(size) for size in TEXT_SIZES])
        self.language.setAccessibleName(tr("Language"))
        for code, name in (("", tr("System")), *LANGUAGES.items()):
            self.language.addItem(name, code)
        days, look = SettingsCard(tr("Days")), SettingsCard(tr("Appearance"))
        days.add(self._zone_row)
        days.add(SettingRow(tr("First day of the week"), "", self.weekday))
        days.add(SettingRow(_GROUPING, _GROUPING_EXPLAINED, self.grouping))
        look.add(SettingRow(tr("Theme"), "", self.mode))
        look.add(SettingRow(tr("Animations"), "", self.motion))
        look.add(SettingRow(tr("Text size"), _SIZE_KEYS, self.text_size))
        look.add(self._language_row)
        self.body.addWidget(days)
        self.body.addWidget(look)
        self.finish()
