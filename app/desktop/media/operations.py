"""Saving copies of stored files, and deleting files."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.file_dialogs import ask_to_save
from app.desktop.media.grid import MediaGrid
from app.desktop.media.preview import Preview, stored
from app.desktop.widgets import Button, Divider, Label, Menu, Sheet, danger
from app.desktop.widgets.sheet import sheet_foot
from app.language import data_size, tr, trn
from app.workspace.media.library import MediaItem, Removal
from app.workspace.media.media import Media
from app.workspace.messages import Message
from app.workspace.workspace import Workspace

_INSET = 20
_SHOWS_AFTER_MS = 500
_STEPS = 1_000


class RemovalSheet(Sheet):
    """Asks once for all files; those used by posts are named and kept."""

    confirmed = Signal()

    def __init__(self, host: QWidget, items: Sequence[MediaItem], drafts: int, cancelled: int = 0) -> None:
        """``drafts`` and ``cancelled`` are the numbers of drafts and cancelled posts with these files."""
        super().__init__(host, tr("Delete files"), 480)
        self.free = [item for item in items if not item.needed_by]
        self.text = Label("\n\n".join(_said(items, self.free, drafts, cancelled)), "text", "text2", wrap=True)
        self.go = danger(_delete(self.free), "trash-2")
        self.cancel = Button(tr("Keep") if self.free else tr("Close"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        head = _question(self.free) if self.free else _not_yet(items)
        self.setAccessibleName(head)
        self.setAccessibleDescription(self.text.text())
        body.addWidget(Label(head, "section", wrap=True))
        body.addWidget(self.text)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, *([self.go] if self.free else [])))
        self.go.setVisible(bool(self.free))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._confirm)

    def _confirm(self) -> None:
        self.dismiss()
        self.confirmed.emit()


class Remover(QObject):
    """Asks, deletes files one by one, and reports the result."""

    told = Signal(Message)

    def __init__(self, host: QWidget, media: Media, report: OnProblem) -> None:
        super().__init__(host)
        self._host, self._media = host, media
        self._scope = TaskScope(self, report)

    def ask(self, items: Sequence[MediaItem]) -> None:
        """Ask whether to delete files."""
        if items:
            self._scope.start(self._ask(items))

    async def _ask(self, items: Sequence[MediaItem]) -> None:
        paths = {item.path for item in items}
        drafts = await self._media.drafts_with(paths)
        sheet = RemovalSheet(self._host, items, drafts, self._media.library.cancelled_with(paths))
        sheet.confirmed.connect(lambda: self._scope.start(self._remove(sheet.free)))
        sheet.present(sheet.cancel)

    async def _remove(self, items: Sequence[MediaItem]) -> None:
        outcomes: Counter[Removal] = Counter()
        for item in items:
            outcomes[await self._media.library.remove(item.path)] += 1
        self.told.emit(Message("info", outcome_words(items, outcomes)))


def outcome_words(items: Sequence[MediaItem], outcomes: Counter[Removal]) -> str:
    """Return a message about deleted files."""
    if len(items) == 1:
        (outcome,) = outcomes
        name = items[0].name
        return {
            Removal.REMOVED: tr("“{name}” was deleted.", name=name),
            Removal.KEPT: tr("“{name}” was kept because an unpublished post uses it.", name=name),
            Removal.WAS_GONE: tr(
                "“{name}” was already gone from the service. Removed it from the list.", name=name
            ),
        }[outcome]
    gone = outcomes[Removal.REMOVED] + outcomes[Removal.WAS_GONE]
    told = [trn("{n} file was deleted.", "{n} files were deleted.", gone)] if gone else []
    if kept := outcomes[Removal.KEPT]:
        told.append(
            trn(
                "{n} file was kept because unpublished posts use it.",
                "{n} files were kept because unpublished posts use them.",
                kept,
            )
        )
    return " ".join(told)


def _said(items: Sequence[MediaItem], free: Sequence[MediaItem], drafts: int, cancelled: int) -> list[str]:
    told = []
    if any(item.used_in for item in free):
        told.append(tr("This can't be undone. Copies on this computer and published posts stay."))
    elif free:
        told.append(tr("This can't be undone. Copies on this computer stay."))
    if drafts and free:
        told.append(trn("{n} draft will lose its file.", "{n} drafts will lose their file.", drafts))
    if cancelled and free:
        told.append(
            trn(
                "{n} cancelled post can't be scheduled again without its file.",
                "{n} cancelled posts can't be scheduled again without their file.",
                cancelled,
            )
        )
    needed = [item for item in items if item.needed_by]
    return [part for part in (" ".join(told), _needed(needed) if needed else "") if part]


def _needed(items: Sequence[MediaItem]) -> str:
    """Return why files are kept."""
    posts = sum(len(item.needed_by) for item in items)
    if len(items) == 1:
        return trn(
            "“{name}” is kept: {n} unpublished post uses it.",
            "“{name}” is kept: {n} unpublished posts use it.",
            posts,
            name=items[0].name,
        )
    return trn(
        "{files} files are kept: {n} unpublished post uses them.",
        "{files} files are kept: {n} unpublished posts use them.",
        posts,
        files=len(items),
    )


def _delete(items: Sequence[MediaItem]) -> str:
    if len(items) == 1:
        return tr("Delete “{name}”", name=items[0].name)
    return trn("Delete {n} file", "Delete {n} files", len(items))


def _question(items: Sequence[MediaItem]) -> str:
    if len(items) == 1:
        return tr("Delete “{name}”?", name=items[0].name)
    return trn("Delete {n} file?", "Delete {n} files?", len(items))


def _not_yet(items: Sequence[MediaItem]) -> str:
    if len(items) == 1:
        return tr("“{name}” can't be deleted yet", name=items[0].name)
    return trn("{n} file can't be deleted yet", "{n} files can't be deleted yet", len(items))


class CopySheet(Sheet):
    """Shows itself if copying takes a while; `closed` before `finish` means that the user cancelled.

    Args:
        host: any widget of the window.
        name: of the copy.
        size: in bytes; None if unknown.
    """

    def __init__(self, host: QWidget, name: str, size: int | None) -> None:
        super().__init__(host, tr("Saving “{name}”", name=name), 440, closes_beside=False)
        self._size = size
        self.bar, self.text = QProgressBar(), Label("", "card", "text2")
        self.bar.setRange(0, _STEPS if size else 0)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(12)
        title = Label(self.accessibleName(), "section", wrap=True)
        for part in (title, self.bar, self.text):
            body.addWidget(part)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel))
        self.cancel.clicked.connect(self.dismiss)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.timeout.connect(lambda: self.present(self.cancel))
        self._wait.start(_SHOWS_AFTER_MS)
        self.hear(0)

    def hear(self, written: int) -> None:
        """Show the number of bytes written."""
        if self._size:
            self.bar.setValue(min(_STEPS, written * _STEPS // self._size))
            told = tr("{done} of {all}", done=data_size(written), all=data_size(self._size))
        else:
            told = data_size(written)
        self.text.setText(told)

    def finish(self) -> None:
        """Close: the copy is complete, or failed."""
        self._wait.stop()
        if self.isHidden():
            self.deleteLater()
        else:
            self.dismiss()


class Operations(QObject):
    """Runs the actions of the grid, the details and the menu."""

    told = Signal(Message)
    scheduled = Signal(list)
    """The storage paths of files; a post is to be planned with each."""

    def __init__(self, host: QWidget, workspace: Workspace, report: OnProblem) -> None:
        super().__init__(host)
        self._host, self._workspace = host, workspace
        self._scope = TaskScope(self, report)
        self._remover = Remover(host, workspace.media, report)
        self._remover.told.connect(self.told)

    def preview(self, grid: MediaGrid) -> None:
        """Show the current file in the preview."""
        item = grid.current_item()
        if item is None:
            return
        sheet = Preview(self._host)
        sheet.walked.connect(lambda step: self._walk(grid, sheet, step))
        sheet.show_file(stored(item, self._workspace.media))
        sheet.present()

    def remove(self, items: Sequence[MediaItem]) -> None:
        """Ask whether to delete files."""
        self._remover.ask(items)

    def schedule(self, items: Sequence[MediaItem]) -> None:
        """Start a post with a file, or spread several over free slots."""
        self.scheduled.emit([item.path for item in items])

    def save(self, item: MediaItem) -> None:
        """Ask where to save a copy."""
        ask_to_save(
            self._host,
            tr("Save a copy"),
            item.name,
            item.endings,
            lambda file: self._scope.start(self._save(item, file)),
            "downloads",
        )

    def describe(self, path: str, words: str) -> None:
        """Save a file's alt text, now or once the service can be reached."""
        self._workspace.media.alt_texts.write_soon(path, words)

    def show_menu(self, grid: MediaGrid, place: QPoint) -> None:
        """Show the menu of the selected files."""
        items = grid.chosen_items()
        menu = Menu(grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(items) == 1:
            menu.add(tr("Preview"), lambda: self.preview(grid), icon="eye", shortcut="Return")
            menu.add(tr("Use in a post"), lambda: self.schedule(items), icon="calendar-plus")
            menu.add(tr("Save a copy…"), lambda: self.save(items[0]), icon="download")
        elif items:
            plan = trn("Plan {n} file…", "Plan {n} files…", len(items))
            menu.add(plan, lambda: self.schedule(items), icon="calendar-plus")
        copied = tr("Copy storage path") if len(items) == 1 else tr("Copy storage paths")
        menu.add(copied, lambda: _copy(items), icon="copy")
        menu.addSeparator()
        what = tr("Delete…") if len(items) == 1 else _delete_files(len(items))
        menu.add(what, lambda: self.remove(items), icon="trash-2", shortcut="Del")
        menu.popup(place)

    def _walk(self, grid: MediaGrid, sheet: Preview, step: int) -> None:
        shown = grid.current_item()
        item = grid.files.item(grid.files.row_of(shown.path) + step) if shown else None
        if item is not None:
            grid.choose([item.path])
            sheet.show_file(stored(item, self._workspace.media))

    async def _save(self, item: MediaItem, target: Path) -> None:
        sheet = CopySheet(self._host, target.name, item.file.size_bytes)
        saving = asyncio.ensure_future(self._workspace.media.library.save(item, target, sheet.hear))
        sheet.closed.connect(saving.cancel)
        try:
            await asyncio.wait([saving])
        finally:
            saving.cancel()
            if isValid(sheet):
                sheet.finish()
        if saving.cancelled():
            self.told.emit(Message("info", tr("“{name}” wasn't saved.", name=target.name)))
            return
        saving.result()
        self.told.emit(Message("info", tr("“{name}” was saved.", name=target.name)))


def _copy(items: Sequence[MediaItem]) -> None:
    QGuiApplication.clipboard().setText("\n".join(item.path for item in items))


def _delete_files(number: int) -> str:
    return trn("Delete {n} file…", "Delete {n} files…", number)
