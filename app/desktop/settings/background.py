"""How Kalends lives without its window."""

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QSystemTrayIcon

from app.desktop.background.choices import Choices
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import CheckBox
from app.language import tr

_ABOUT: Final = tr(
    "The service on this computer publishes only while Kalends runs. It needs no window for that."
)
_KEEP: Final = tr("It stays in the tray, with the next post and a way back.")
_ASKED: Final = tr("It stays in the tray then. You are asked when you first close the window.")
_NO_TRAY: Final = tr("This desktop has no tray to bring the window back from, so closing it ends Kalends.")
_ELSEWHERE: Final = tr("This calendar's service runs elsewhere, and publishes whether Kalends runs or not.")


class BackgroundSection(Section):
    """What is chosen is in force at once."""

    def __init__(
        self,
        choices: Choices,
        *,
        runs_here: bool,
        is_tray_there: Callable[[], bool] = QSystemTrayIcon.isSystemTrayAvailable,
    ) -> None:
        super().__init__(tr("Background"))
        self._choices, self._runs_here, self._is_tray_there = choices, runs_here, is_tray_there
        self.keep = CheckBox()
        self.keep_row = SettingRow(tr("Keep publishing when the window is closed"), "", self.keep)
        self._lay_out()
        self.came_to_view()
        self.keep.clicked.connect(self._choose)

    def came_to_view(self) -> None:
        """Show what was chosen, wherever that was."""
        keeps = self._choices.keeps
        possible = self._runs_here and self._is_tray_there()
        self.keep.setEnabled(possible)
        self.keep.setChecked(possible and bool(keeps))
        why_not = _NO_TRAY if self._runs_here else _ELSEWHERE
        said = why_not if not possible else _ASKED if keeps is None else _KEEP
        self.keep_row.say(said)
        self.keep.setAccessibleDescription(said)

    def _choose(self, on: bool) -> None:
        self._choices.keep(on=on)
        self.came_to_view()

    def _lay_out(self) -> None:
        self.keep.setAccessibleName(tr("Keep publishing when the window is closed"))
        card = SettingsCard(tr("Without the window"), _ABOUT)
        card.add(self.keep_row)
        self.body.addWidget(card)
        self.finish()
