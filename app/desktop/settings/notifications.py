"""Which notifications Kalends sends, and when they wait."""

from dataclasses import replace
from datetime import time
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTime, Signal

from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import Label, Switch, TimeField, announce, secondary
from app.language import tr
from app.workspace.notices.notice import NoticeKind
from app.workspace.preferences import Preferences

_ABOUT: Final = tr("Only about things you aren't looking at. Several in a short time are grouped.")
_KINDS: Final = {
    NoticeKind.PUBLISHED: tr("Published posts"),
    NoticeKind.FAILED: tr("Failed posts"),
    NoticeKind.RECONNECT: tr("Accounts to reconnect"),
    NoticeKind.UPLOADED: tr("Finished uploads"),
}
_SHOWN: Final = tr("Sent to your system. If you don't see it, check the system's notification settings.")
_NOT_SHOWN: Final = tr("Your system shows no notifications, so Kalends shows them in its window.")


class NotificationsSection(Section):
    """One switch for each kind, and one for all."""

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
        """Say what became of the one that was tried."""
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
        card = SettingsCard(tr("Notifications"), _ABOUT)
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
