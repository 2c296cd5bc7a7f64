"""The updates card in About: checking, progress, and the previous version."""

from typing import Final

from PySide6.QtCore import Signal

from app.desktop.opening import open_folder
from app.desktop.settings.rows import SettingRow, SettingsCard
from app.desktop.updates import Updates, ready_words
from app.desktop.widgets import Switch, secondary
from app.language import tr
from app.updates.feed import Reason
from app.updates.updater import Report, Standing
from app.workspace.messages import Message

_LOOK: Final = tr(
    "Once a day, Kalends asks its download page for the newest version. The "
    "page sees only your IP address. Kalends accepts only downloads signed by "
    "the developers."
)
_OFF: Final = tr("Kalends doesn't check for updates.")
_UNKNOWN: Final = tr("Not checked yet.")
_REFUSED: Final = {
    Reason.UNREACHABLE: tr("Couldn't reach the download page. Kalends will try again tomorrow."),
    Reason.NOT_SECURE: tr(
        "The download page redirected to an address without https, so nothing was downloaded."
    ),
    Reason.MALFORMED: tr("Couldn't read the download page's response, so nothing was downloaded."),
    Reason.SIGNATURE: tr("The version list isn't signed by the developers, so nothing was downloaded."),
    Reason.OLDER: tr("The download page offered an older version, so nothing was downloaded."),
    Reason.SIZE: tr("The download's size doesn't match the signed size, so it was deleted."),
    Reason.CUT_SHORT: tr("The download was incomplete and was deleted. Kalends will try again tomorrow."),
    Reason.CHANGED: tr("The download doesn't match the developers' signature and was deleted."),
    Reason.SLOW: tr("The download was too slow and was stopped. Kalends will try again tomorrow."),
    Reason.NO_ROOM: tr("There isn't enough space for the download, or its folder isn't writable."),
}


class UpdatesCard(SettingsCard):
    """Only shown if the build can update itself."""

    told = Signal(Message)

    def __init__(self, updates: Updates) -> None:
        super().__init__(tr("Updates"))
        self._updates = updates
        self.check = Switch()
        self.look_button = secondary(tr("Check now"), "refresh-cw", size="small")
        self.folder_button = secondary(tr("Open the folder"), "external-link", size="small")
        self.check_row = SettingRow(tr("Check for updates"), _LOOK, self.check)
        self.standing_row = SettingRow(tr("Newest version"), "", self.look_button)
        self.previous_row = SettingRow(tr("Previous version"), "", self.folder_button)
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
        """Show the current state."""
        updates, report = self._updates, self._updates.report
        self.check.setChecked(updates.is_on)
        is_busy = report is not None and report.standing in (Standing.LOOKING, Standing.DOWNLOADING)
        self.look_button.setEnabled(updates.is_on and not is_busy)
        self.standing_row.say(self._words(report) if updates.is_on else _OFF)
        self.previous_row.setVisible(bool(updates.previous))
        self.previous_row.say(
            tr(
                "The installer for version {version} is in {folder}. An older version may "
                "not open data changed by a newer one, so back up first.",
                version=updates.previous,
                folder=updates.folder,
            )
        )

    def _words(self, report: Report | None) -> str:
        if report is None or report.standing is Standing.UNKNOWN:
            return _UNKNOWN
        if report.standing is Standing.REFUSED and report.reason is not None:
            refused, waiting = _REFUSED[report.reason], self._updates.waiting
            return f"{ready_words(self._updates.channel.kind, waiting)} {refused}" if waiting else refused
        version = report.version
        if report.standing is Standing.READY:
            words = ready_words(self._updates.channel.kind, version)
            return f"{words} {tr('Never within ten minutes of a due post.')}"
        return {
            Standing.LOOKING: tr("Checking…"),
            Standing.CURRENT: tr("Version {version} is up to date.", version=version),
            Standing.DOWNLOADING: tr("Downloading version {version}…", version=version),
        }[report.standing]

    def _open_folder(self) -> None:
        folder = self._updates.folder
        if not open_folder(folder):
            text = tr("No file manager found. The installer is in {folder}.", folder=folder)
            self.told.emit(Message("warning", text))
