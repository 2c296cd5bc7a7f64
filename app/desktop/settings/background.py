"""How Kalends lives without its window, and whether it starts with the computer."""

import asyncio
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSystemTrayIcon

from app.desktop.aio import TaskScope
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import Switch
from app.language import tr
from app.workspace.login import LoginItem
from app.workspace.messages import Message
from app.workspace.preferences import Preferences

_ABOUT: Final = tr(
    "Kalends publishes from this computer while it's running, with or without "
    "its window. Posts due while the computer is asleep, off or logged out are "
    "published when it's back, up to 12 hours late."
)
_KEEP: Final = tr("Kalends stays in the tray, where you see the next post and can reopen the window.")
_ASKED: Final = tr("Kalends then stays in the tray. It asks the first time you close the window.")
_NO_TRAY: Final = tr("This desktop has no tray, so closing the window quits Kalends.")
_ELSEWHERE: Final = tr("This calendar's service runs elsewhere and publishes even when Kalends is closed.")
_LOGIN: Final = tr("Starts in the tray so posts are published even when the window is closed.")
_LOGIN_SMALL: Final = tr("Starts minimized, because this desktop has no tray.")
_NO_LOGIN: Final = tr("Kalends can't set this up on this system.")


class BackgroundSection(Section):
    """What is chosen is in force at once."""

    told = Signal(Message)

    def __init__(
        self,
        preferences: Preferences,
        login: LoginItem | None,
        *,
        runs_here: bool,
        is_tray_there: Callable[[], bool] = QSystemTrayIcon.isSystemTrayAvailable,
    ) -> None:
        super().__init__(tr("Background"))
        self._preferences, self._login = preferences, login
        self._runs_here, self._is_tray_there = runs_here, is_tray_there
        self._scope = TaskScope(self)
        self.keep, self.login = Switch(), Switch()
        self.keep_row = SettingRow(tr("Keep publishing when the window is closed"), "", self.keep)
        how = _LOGIN if is_tray_there() else _LOGIN_SMALL
        self.login_row = SettingRow(tr("Start at login"), how if login else _NO_LOGIN, self.login)
        self._login_turn = asyncio.Lock()
        """Who changes their mind at once gets what they chose last."""
        self._lay_out()
        self._show_keep()
        self.keep.clicked.connect(self._choose)
        self.login.clicked.connect(lambda on: self._scope.start(self._turn(on=on)))

    @property
    def can_start_at_login(self) -> bool:
        """Whether this system has a way for that."""
        return self._login is not None

    def came_to_view(self) -> None:
        """Show what holds, wherever it was chosen."""
        self._show_keep()
        self._scope.start(self._show_login())

    def start_at_login(self) -> None:
        """The person said yes elsewhere."""
        self._scope.start(self._agree())

    def _show_keep(self) -> None:
        keeps = self._preferences.keeps_publishing
        possible = self._runs_here and self._is_tray_there()
        self.keep.setEnabled(possible)
        self.keep.setChecked(possible and bool(keeps))
        why_not = _NO_TRAY if self._runs_here else _ELSEWHERE
        said = why_not if not possible else _ASKED if keeps is None else _KEEP
        self.keep_row.say(said)
        self.keep.setAccessibleDescription(said)

    def _choose(self, on: bool) -> None:
        self._preferences.keeps_publishing = on
        self._show_keep()

    async def _show_login(self) -> None:
        """Asks the disk: others change it too."""
        try:
            is_on = self._login is not None and await asyncio.to_thread(self._login.is_on)
        except OSError:
            is_on = False
        self.login.setChecked(is_on)

    async def _agree(self) -> None:
        if await self._turn(on=True):
            said = tr("Kalends now starts when you log in. You can change this in Settings.")
            self.told.emit(Message("info", said))

    async def _turn(self, *, on: bool) -> bool:
        """Has Kalends start at login or not, and says whether the system took that."""
        if self._login is None:
            return False
        self._preferences.was_asked_about_login = True
        async with self._login_turn:
            try:
                await asyncio.to_thread(self._login.turn_on if on else self._login.turn_off)
            except OSError as error:
                text = tr("The system refused the change, so nothing changed.")
                self.told.emit(Message("error", text, str(error)))
                return False
            finally:
                await self._show_login()
        return True

    def _lay_out(self) -> None:
        self.keep.setAccessibleName(self.keep_row.title.text())
        self.login.setAccessibleName(self.login_row.title.text())
        self.login.setAccessibleDescription(self.login_row.text.text())
        self.login.setEnabled(self._login is not None)
        card = SettingsCard(tr("In the background"), _ABOUT)
        card.add(self.keep_row)
        card.add(self.login_row)
        self.body.addWidget(card)
        self.finish()
