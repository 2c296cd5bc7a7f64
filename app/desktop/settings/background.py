"""Settings for running in the background: tray, start at login, notifications."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import time
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTime, Signal
from PySide6.QtWidgets import QSystemTrayIcon

from app.desktop.aio import TaskScope
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import Label, Switch, TimeField, announce, secondary
from app.language import tr
from app.workspace.login import LoginItem
from app.workspace.messages import Message
from app.workspace.notices.notice import NoticeKind
from app.workspace.preferences import Preferences

_ABOUT: Final = tr(
    "Kalends publishes from this computer while it's running, with or without "
    "its window. Posts due while the computer is asleep, off or logged out are "
    "published when it's back on, up to 12 hours late."
)
_KEEP: Final = tr("Kalends stays in the tray, where you see the next post and can reopen the window.")
_ASKED: Final = tr("Kalends then stays in the tray. It asks the first time you close the window.")
_NO_TRAY: Final = tr("This desktop has no tray, so closing the window quits Kalends.")
_ELSEWHERE: Final = tr("This calendar's service runs elsewhere and publishes even when Kalends is closed.")
_LOGIN: Final = tr("Starts in the tray so posts are published even when the window is closed.")
_LOGIN_SMALL: Final = tr("Starts minimized, because this desktop has no tray.")
_NO_LOGIN: Final = tr("Kalends can't set this up on this system.")


class BackgroundSection(Section):
    """Changes apply immediately."""

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
        """Whether this system supports it."""
        return self._login is not None

    def came_to_view(self) -> None:
        """Show the current settings, wherever they were changed."""
        self._show_keep()
        self._scope.start(self._show_login())

    def start_at_login(self) -> None:
        """Switch it on, because the user agreed elsewhere."""
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
        """Read the state from disk, because other programs change it too."""
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
        """Switch starting at login on or off, and report if the system refused."""
        if self._login is None:
            return False
        self._preferences.was_asked_about_login = True
        async with self._login_turn:
            is_done = True
            try:
                await asyncio.to_thread(self._login.turn_on if on else self._login.turn_off)
            except OSError as error:
                is_done = False
                text = tr("The system refused the change, so nothing changed.")
                self.told.emit(Message("error", text, str(error)))
            await self._show_login()
        return is_done

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


_ABOUT_NOTIFICATIONS: Final = tr(
    "You're notified only about things you aren't looking at. Several in a row are grouped."
)
_KINDS: Final = {
    NoticeKind.BY_HAND: tr("Posts to publish by hand"),
    NoticeKind.IN_INBOX: tr("Posts in your TikTok inbox"),
    NoticeKind.PUBLISHED: tr("Published posts"),
    NoticeKind.FAILED: tr("Failed posts"),
    NoticeKind.RECONNECT: tr("Accounts to reconnect"),
    NoticeKind.UPLOADED: tr("Finished uploads"),
}
_SHOWN: Final = tr("Sent to your system. If you don't see it, check the system's notification settings.")
_NOT_SHOWN: Final = tr("Your system shows no notifications, so Kalends shows them in its window.")


class NotificationsSection(Section):
    """A switch for each kind, and one for all."""

    trial_wanted = Signal()

    def __init__(self, preferences: Preferences) -> None:
        super().__init__(tr("Notifications"))
        self._preferences = preferences
        self.all = Switch()
        self.kinds = {kind: Switch() for kind in NoticeKind}
        self.quiet, self.quiet_begin, self.quiet_end = Switch(), TimeField(), TimeField()
        self.try_button = secondary(tr("Show test"), size="small")
        self.trial = SettingRow(tr("Test notification"), "", self.try_button)
        self._lay_out()
        self._show()
        self.all.toggled.connect(self._turn)
        for kind, box in self.kinds.items():
            box.toggled.connect(partial(self._choose, kind))
        self.quiet.toggled.connect(self._turn_quiet)
        for field in (self.quiet_begin, self.quiet_end):
            field.timeChanged.connect(self._choose_quiet)
        self.try_button.clicked.connect(self.trial_wanted)

    def show_trial(self, *, shown: bool) -> None:
        """Report the result of the test notification."""
        self.trial.say(_SHOWN if shown else _NOT_SHOWN)
        announce(self.trial, self.trial.text.text())

    def _turn(self, on: bool) -> None:
        self._preferences.notifies = on
        self._show()

    def _choose(self, kind: NoticeKind, on: bool) -> None:
        self._preferences.choose(kind, on=on)

    def _turn_quiet(self, on: bool) -> None:
        self._preferences.quiet_hours = replace(self._preferences.quiet_hours, is_on=on)
        self._show()

    def _choose_quiet(self) -> None:
        at = (field.time() for field in (self.quiet_begin, self.quiet_end))
        begin, end = (time(one.hour(), one.minute()) for one in at)
        self._preferences.quiet_hours = replace(self._preferences.quiet_hours, begin=begin, end=end)

    def _show(self) -> None:
        is_on, quiet = self._preferences.notifies, self._preferences.quiet_hours
        self.quiet.setChecked(quiet.is_on)
        self.quiet.setEnabled(is_on)
        for field, shown in ((self.quiet_begin, quiet.begin), (self.quiet_end, quiet.end)):
            with QSignalBlocker(field):
                field.setTime(QTime(shown.hour, shown.minute))
            field.setEnabled(is_on and quiet.is_on)
        self.all.setChecked(is_on)
        for kind, box in self.kinds.items():
            box.setChecked(self._preferences.has_chosen(kind))
            box.setEnabled(is_on)

    def _quiet_row(self) -> SettingRow:
        name, text = tr("Quiet hours"), tr("Notifications are held until these hours end.")
        self.quiet.setAccessibleName(name)
        self.quiet_begin.setAccessibleName(tr("Quiet hours begin"))
        self.quiet_end.setAccessibleName(tr("Quiet hours end"))
        to = Label(tr("to"), "text", "text2")
        return SettingRow(name, text, self.quiet_begin, to, self.quiet_end, self.quiet)

    def _lay_out(self) -> None:
        card = SettingsCard(tr("Notifications"), _ABOUT_NOTIFICATIONS)
        whole = SettingRow(tr("Show notifications"), "", self.all)
        self.all.setAccessibleName(tr("Show notifications"))
        card.add(whole)
        for kind, name in _KINDS.items():
            self.kinds[kind].setAccessibleName(name)
            card.add(SettingRow(name, "", self.kinds[kind]))
        card.add(self._quiet_row())
        card.add(self.trial)
        self.body.addWidget(card)
        self.finish()
