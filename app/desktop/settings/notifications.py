"""What Kalends tells somebody who is not looking."""

from functools import partial
from typing import Final

from PySide6.QtCore import Signal

from app.desktop.notices.switches import Switches
from app.desktop.settings.rows import Section, SettingRow, SettingsCard
from app.desktop.widgets import CheckBox, announce, secondary
from app.language import tr
from app.workspace.notices.notice import NoticeKind

_ABOUT: Final = tr(
    "For what happens while you are elsewhere. What you are looking at is not told, and several things "
    "within a short time are told as one."
)
_KINDS: Final = {
    NoticeKind.PUBLISHED: (
        tr("Posts that were published"),
        tr("After one was told, the next ones are gathered for ten minutes."),
    ),
    NoticeKind.FAILED: (
        tr("Posts that failed"),
        tr("With the reason. What failed while Kalends was closed is told once, when it begins."),
    ),
    NoticeKind.RECONNECT: (
        tr("Accounts to reconnect"),
        tr("When a platform no longer lets Kalends in, before the next post fails."),
    ),
    NoticeKind.UPLOADED: (tr("Uploads that are done"), tr("When the last file that was underway is stored.")),
}
_TRY: Final = tr("See what one looks like, and whether this system shows it.")
_SHOWN: Final = tr("It was handed to this system. If you do not see it, look at the system's own settings.")
_NOT_SHOWN: Final = tr("This system shows none, so Kalends says it in its own window.")


class NotificationsSection(Section):
    """One switch for each kind, and one for all."""

    trial_wanted = Signal()

    def __init__(self, switches: Switches) -> None:
        super().__init__(tr("Notifications"))
        self._switches = switches
        self.all = CheckBox()
        self.kinds = {kind: CheckBox() for kind in NoticeKind}
        self.try_button = secondary(tr("Show one"), size="small")
        self.trial = SettingRow(tr("Try it"), _TRY, self.try_button)
        self._lay_out()
        self._show()
        self.all.toggled.connect(self._turn)
        for kind, box in self.kinds.items():
            box.toggled.connect(partial(self._choose, kind))
        self.try_button.clicked.connect(self.trial_wanted)

    def show_trial(self, *, shown: bool) -> None:
        """Say what became of the one that was tried."""
        self.trial.say(_SHOWN if shown else _NOT_SHOWN)
        announce(self.trial, self.trial.text.text())

    def _turn(self, on: bool) -> None:
        self._switches.turn(on=on)
        self._show()

    def _choose(self, kind: NoticeKind, on: bool) -> None:
        self._switches.choose(kind, on=on)

    def _show(self) -> None:
        is_on = self._switches.is_on
        self.all.setChecked(is_on)
        for kind, box in self.kinds.items():
            box.setChecked(self._switches.is_chosen(kind))
            box.setEnabled(is_on)

    def _lay_out(self) -> None:
        card = SettingsCard(tr("Notifications"), _ABOUT)
        whole = SettingRow(tr("Show notifications"), tr("Off means none at all."), self.all)
        self.all.setAccessibleName(tr("Show notifications"))
        card.add(whole)
        for kind, (name, text) in _KINDS.items():
            self.kinds[kind].setAccessibleName(name)
            card.add(SettingRow(name, text, self.kinds[kind]))
        card.add(self.trial)
        self.body.addWidget(card)
        self.finish()
