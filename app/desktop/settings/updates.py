"""Updates, in About: whether to look for them, how far that is, and the version to go back to."""

from typing import Final

from PySide6.QtCore import Signal

from app.desktop.opening import open_folder
from app.desktop.settings.rows import SettingRow, SettingsCard
from app.desktop.updates import Updates, ready_words
from app.desktop.widgets import CheckBox, secondary
from app.language import tr
from app.updates.feed import Reason
from app.updates.updater import Report, Standing
from app.workspace.messages import Message

_LOOK: Final = tr(
    "Once a day, Kalends asks its download page for the newest version. The page sees your IP address and "
    "nothing else about you. Downloads are taken only with the developers' signature."
)
_OFF: Final = tr("Kalends doesn't look for newer versions.")
_UNKNOWN: Final = tr("Nothing was looked for yet.")
_REFUSED: Final = {
    Reason.UNREACHABLE: tr("The download page couldn't be reached. Kalends tries again tomorrow."),
    Reason.NOT_SECURE: tr("The download page led to an address without https, so nothing was downloaded."),
    Reason.MALFORMED: tr("The download page's answer couldn't be read, so nothing was downloaded."),
    Reason.SIGNATURE: tr("The list of versions isn't signed by the developers, so nothing was downloaded."),
    Reason.OLDER: tr("The download page offered an older version, so nothing was downloaded."),
    Reason.SIZE: tr("The download was larger or smaller than the developers signed. It was deleted."),
    Reason.CUT_SHORT: tr("The download ended too early and was deleted. Kalends tries again tomorrow."),
    Reason.CHANGED: tr("The download isn't what the developers signed. It was deleted."),
    Reason.SLOW: tr("The download was too slow and was given up. Kalends tries again tomorrow."),
    Reason.NO_ROOM: tr("There isn't enough room for the download, or its folder can't be written."),
}


class UpdatesCard(SettingsCard):
    """Shown only where the build can update itself."""

    told = Signal(Message)

    def __init__(self, updates: Updates) -> None:
        super().__init__(tr("Updates"))
        self._updates = updates
        self.check = CheckBox()
        self.look_button = secondary(tr("Check now"), "refresh-cw", size="small")
        self.folder_button = secondary(tr("Open the folder"), "external-link", size="small")
        self.check_row = SettingRow(tr("Check for updates"), _LOOK, self.check)
        self.standing_row = SettingRow(tr("Newest version"), "", self.look_button)
        self.previous_row = SettingRow(tr("Go back"), "", self.folder_button)
        self.check.setAccessibleName(tr("Check for updates"))
        self.check.setAccessibleDescription(_LOOK)
        self.folder_button.setAccessibleName(tr("Open the folder with the previous installer"))
        for row in (self.check_row, self.standing_row, self.previous_row):
            self.add(row)
        self.check.clicked.connect(lambda on: updates.turn(on=on))
        self.look_button.clicked.connect(updates.look)
        self.folder_button.clicked.connect(self._open_folder)
        updates.changed.connect(self.show_standing)
        self.show_standing()

    def show_standing(self) -> None:
        """Show what is known now."""
        updates, report = self._updates, self._updates.report
        self.check.setChecked(updates.is_on)
        is_busy = report is not None and report.standing in (Standing.LOOKING, Standing.DOWNLOADING)
        self.look_button.setEnabled(updates.is_on and not is_busy)
        self.standing_row.say(self._words(report) if updates.is_on else _OFF)
        self.previous_row.setVisible(bool(updates.previous))
        self.previous_row.say(
            tr(
                "The installer of version {version} is in {folder}. An older version may not open what a "
                "newer one has changed, so back up first.",
                version=updates.previous,
                folder=updates.folder,
            )
        )

    def _words(self, report: Report | None) -> str:
        if report is None or report.standing is Standing.UNKNOWN:
            return _UNKNOWN
        if report.standing is Standing.REFUSED and report.reason is not None:
            return _REFUSED[report.reason]
        version = report.version
        if report.standing is Standing.READY:
            words = ready_words(self._updates.channel.kind, version)
            return f"{words} {tr('Never within ten minutes of a due post.')}"
        return {
            Standing.LOOKING: tr("Looking…"),
            Standing.CURRENT: tr("Version {version} is the newest.", version=version),
            Standing.DOWNLOADING: tr("Downloading version {version}…", version=version),
        }[report.standing]

    def _open_folder(self) -> None:
        folder = self._updates.folder
        if not open_folder(folder):
            text = tr("No program opens folders here. The installer is in {folder}.", folder=folder)
            self.told.emit(Message("warning", text))
