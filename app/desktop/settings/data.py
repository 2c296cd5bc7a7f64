"""The data folder, backup and restore."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from app.desktop import words
from app.desktop.aio import TaskScope
from app.desktop.file_dialogs import ask_to_open, ask_to_save
from app.desktop.local_time import local, today
from app.desktop.opening import open_folder
from app.desktop.settings.rows import ConfirmSheet, Section, SettingRow, SettingsCard
from app.desktop.widgets import StateStrip, danger, secondary
from app.language import data_size, percent, tr, trn
from app.workspace.homes import Homes
from app.workspace.messages import Message, Problem
from app.workspace.settings import restore
from app.workspace.settings.about import measure
from app.workspace.settings.backup import Manifest, StoppedError, Told, back_up

_ZIP: Final = tr("Backup of Kalends (*.zip)")
_IN_IT: Final = tr(
    "One file with the posts, drafts, posting times, unsent changes and uploads "
    "of all calendars, plus the database and media of calendars on this computer. "
    "You can keep working while it's created."
)
_NOT_IN_IT: Final = tr(
    "API keys, encryption keys and your platform app credentials stay on this "
    "computer. After restoring on another computer, reconnect your accounts "
    "and enter the keys again."
)
_RESTORE: Final = tr(
    "The whole file is checked first. Your current data is moved to another folder, not deleted."
)
_NOT_BACKED_UP: Final = tr("The backup isn't complete yet, and an incomplete one isn't kept.")
_NOT_CHECKED: Final = tr("The backup is still being checked, so it isn't restored.")
_PERCENT: Final = 100


def ask_for_backup(parent: QWidget, then: Callable[[Path], object]) -> None:
    """Ask which backup to restore, and call ``then`` with its file."""
    ask_to_open(parent, tr("Restore a backup"), (_ZIP, tr("All files (*)")), then, "documents")


def restored_message(aside: Path) -> Message:
    """Return the message after a restore; ``aside`` is the folder of the previous data. Blocking."""
    if not any(aside.iterdir()):
        text = tr(
            "Backup restored. API keys that other programs have for calendars on this computer were revoked, "
            "so create new ones for them."
        )
    else:
        text = tr(
            "Backup restored. API keys that other programs have for calendars on this computer were revoked, "
            "so create new ones for them. Your previous data is in {folder}; delete it when you no longer "
            "need it.",
            folder=aside,
        )
    return Message("info", text)


class DataSection(Section):
    """Runs one task at a time: a backup, or testing one."""

    told = Signal(Message)
    restore_wanted = Signal()
    """A tested backup is staged, and the person wants it in place of what is here."""

    def __init__(self, homes: Homes) -> None:
        super().__init__(tr("Data and backup"))
        self._homes = homes
        self._scope = TaskScope(self, self._show_failed)
        self._running: list[threading.Event] = []
        self._left = ""
        """What ends undone if the running task is stopped, in a sentence."""
        self._another: tuple[str, Callable[[], None]] | None = None
        """The label and the action of the button below why a backup or its check failed."""
        self.strip = StateStrip(tr("Close"))
        self.open_button = secondary(tr("Open the folder"), "external-link", size="small")
        self.backup_button = secondary(tr("Back up"), "download", size="small")
        self.restore_button = secondary(tr("Choose a backup"), "upload", size="small")
        self.cancel_button = secondary(tr("Cancel"), size="small")
        self.progress = QProgressBar()
        self.folder = SettingRow(tr("Data folder"), str(homes.data), self.open_button)
        self._backup = SettingRow(tr("Back up"), _IN_IT, self.backup_button)
        self._restore = SettingRow(tr("Restore"), _RESTORE, self.restore_button)
        self.going = SettingRow("", "", self.progress, self.cancel_button)
        self._lay_out()
        self._connect()

    def came_to_view(self) -> None:
        """Measure the folder."""
        self._scope.start(self._measure())

    def ask_where(self) -> None:
        """Ask where to save a backup."""
        name = f"Kalends-backup-{today():%Y-%m-%d}.zip"
        ask_to_save(self, tr("Back up"), name, ("zip",), self.back_up, "documents", filters=(_ZIP,))

    def ask_which(self) -> None:
        """Ask which backup to restore."""
        ask_for_backup(self, self.test)

    def back_up(self, to: Path) -> None:
        """Write a backup, showing the progress."""
        again = tr("Choose a folder"), self.ask_where
        self._begin(tr("Backing up"), self._back_up(to), again, _NOT_BACKED_UP)

    def test(self, file: Path) -> None:
        """Test a backup completely, then ask whether to restore it."""
        again = tr("Choose a backup"), self.ask_which
        self._begin(tr("Checking the backup"), self._test(file), again, _NOT_CHECKED)

    async def _back_up(self, to: Path) -> None:
        manifest = await self._in_thread(lambda told, stop: back_up(self._homes, to, told, stop))
        self.told.emit(
            Message(
                "info",
                trn(
                    "{n} calendar, {size}, backed up to {name}.",
                    "{n} calendars, {size}, backed up to {name}.",
                    len(manifest.calendars),
                    size=data_size(manifest.size),
                    name=to.name,
                ),
                str(to),
            )
        )

    async def _test(self, file: Path) -> None:
        manifest = await self._in_thread(lambda told, stop: restore.stage(self._homes, file, told, stop))
        self._ask(file, manifest)

    def _ask(self, file: Path, manifest: Manifest) -> None:
        names = words.joined(manifest.calendars) if manifest.calendars else tr("no calendar")
        made = local(manifest.made_at)
        text = tr(
            "{name}, created on {day} {year} at {time}",
            name=file.name,
            day=words.day(made),
            year=str(made.year),
            time=words.clock(made),
        )
        points = (
            tr("It's complete: {names} ({size}).", names=names, size=data_size(manifest.size)),
            tr("Posts due since then may already be live, so Kalends won't publish them again."),
            tr("Your current data is replaced, but not deleted. It's moved to this folder:"),
        )
        sheet = ConfirmSheet(
            self,
            tr("Restore this backup?"),
            text,
            danger(tr("Restore")),
            keep=tr("Keep current data"),
            points=points,
            folder=self._homes.data / "set-aside",
        )
        sheet.confirmed.connect(self.restore_wanted)
        sheet.closed.connect(lambda: None if sheet.is_confirmed else self._discard())
        sheet.present(sheet.cancel)

    def _discard(self) -> None:
        self._scope.start(asyncio.to_thread(restore.discard, self._homes.data))

    def unfinished(self) -> str:
        """Return what ends undone with this section; "" if nothing is running."""
        return self._left if any(not stop.is_set() for stop in self._running) else ""

    def tell_unfinished(self) -> None:
        """Tell what ends undone now, because this section is about to be rebuilt."""
        if left := self.unfinished():
            self.told.emit(Message("warning", tr("{left} Start it again.", left=left)))

    def _begin(
        self,
        what: str,
        work: Coroutine[Any, Any, None],
        another: tuple[str, Callable[[], None]],
        left: str,
    ) -> None:
        self._left = left
        self.strip.say("")
        self._another = another
        self.going.title.setText(what)
        self.progress.setValue(0)
        self._show_busy(busy=True)
        self._scope.start(self._until_done(work))

    async def _until_done(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StoppedError:
            self.told.emit(Message("info", tr("Cancelled. Nothing was changed.")))
        except Exception:
            self._show_busy(busy=False)
            raise
        self._show_busy(busy=False)  # not if it was cancelled: this section no longer exists then
        self._another = None
        await self._measure()

    async def _in_thread(self, work: Callable[[Told, threading.Event], Manifest]) -> Manifest:
        """Run blocking work that reports its progress; it's cancelled with this section."""
        loop, stop = asyncio.get_running_loop(), threading.Event()
        self._running[:] = [stop]

        def told(done: int, total: int) -> None:
            share = _PERCENT * done // max(1, total)
            if share != last[0] and not stop.is_set():
                last[0] = share
                loop.call_soon_threadsafe(show, share, total)

        def show(share: int, total: int) -> None:
            if not stop.is_set():
                self.progress.setValue(share)
                self.going.say(tr("{percent} of {size}", percent=percent(share), size=data_size(total)))

        last = [-1]
        try:
            return await asyncio.to_thread(work, told, stop)
        finally:
            stop.set()

    def _give_up(self) -> None:
        _stop_all(self._running)
        self.cancel_button.setEnabled(False)

    def _show_busy(self, *, busy: bool) -> None:
        had_focus = self.cancel_button.hasFocus()
        self._going_holder.setVisible(busy)
        self.cancel_button.setEnabled(busy)
        for button in (self.backup_button, self.restore_button):
            button.setEnabled(not busy)
        if had_focus:
            self.backup_button.setFocus()

    async def _measure(self) -> None:
        room = await asyncio.to_thread(measure, self._homes.data)
        used, aside, free = (data_size(size) for size in (room.used, room.aside, room.free))
        told = (
            tr(
                "{used}, including {aside} of old data; {free} free on this disk.",
                used=used,
                aside=aside,
                free=free,
            )
            if room.aside
            else tr("{used}; {free} free on this disk.", used=used, free=free)
        )
        self.folder.say(f"{self._homes.data}\n{told}")

    def _open_folder(self) -> None:
        folder = self._homes.data
        if not open_folder(folder):
            self.told.emit(
                Message("warning", tr("No file manager found. The data is in {folder}.", folder=folder))
            )

    def _show_failed(self, problem: Problem) -> None:
        self.strip.set_action(self._another[0] if self._another else tr("Close"))
        self.strip.say(problem.text, "bad")

    def _leave_failure(self) -> None:
        """Hide why it failed, and choose another place or file."""
        self.strip.say("")
        if self._another is not None:
            self._another[1]()

    def _connect(self) -> None:
        self.open_button.clicked.connect(self._open_folder)
        self.backup_button.clicked.connect(self.ask_where)
        self.restore_button.clicked.connect(self.ask_which)
        self.cancel_button.clicked.connect(self._give_up)
        self.strip.acted.connect(self._leave_failure)
        running = self._running
        self.destroyed.connect(lambda: _stop_all(running))

    def _lay_out(self) -> None:
        for button, name in (
            (self.open_button, tr("Open the data folder")),
            (self.cancel_button, tr("Cancel the backup or check")),
        ):
            button.setAccessibleName(name)
        self.progress.setRange(0, _PERCENT)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(180)
        self.progress.setAccessibleName(tr("Progress"))
        data, kept = SettingsCard(tr("Data")), SettingsCard(tr("Backup"))
        data.add(self.folder)
        for row in (self._backup, SettingRow(tr("Not included in backups"), _NOT_IN_IT), self._restore):
            kept.add(row)
        self._going_holder = SettingsCard(tr("In progress"))
        self._going_holder.add(self.going)
        self._going_holder.hide()
        for card in (self.strip, data, kept, self._going_holder):
            self.body.addWidget(card)
        self.finish()


def _stop_all(running: list[threading.Event]) -> None:
    for stop in running:
        stop.set()
