"""Deleting files: what uses them is said first, what came of it afterwards."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.widgets import Button, Divider, Label, Sheet, danger
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.media.library import MediaItem, Removal
from app.workspace.media.media import Media
from app.workspace.messages import Message

_INSET = 20


class RemovalSheet(Sheet):
    """Asks once for all files; those that posts need are named, and stay."""

    confirmed = Signal()

    def __init__(self, host: QWidget, items: Sequence[MediaItem], drafts: int) -> None:
        super().__init__(host, tr("Delete files"), 480)
        self.free = [item for item in items if not item.needed_by]
        self.text = Label(" ".join(_said(items, self.free, drafts)), "text", "text2", wrap=True)
        self.go = danger(_delete(self.free), "trash-2")
        self.cancel = Button(tr("Keep") if self.free else tr("Close"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        head = _question(items) if self.free else _not_yet(items)
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
    """Asks, deletes one file after the other, and tells what came of it."""

    told = Signal(Message)

    def __init__(self, host: QWidget, media: Media, report: OnProblem) -> None:
        super().__init__(host)
        self._host, self._media = host, media
        self._scope = TaskScope(self, report)

    def ask(self, items: Sequence[MediaItem], drafts: int) -> None:
        """Ask whether files shall go; ``drafts`` is how many drafts name them."""
        if not items:
            return
        sheet = RemovalSheet(self._host, items, drafts)
        sheet.confirmed.connect(lambda: self._scope.start(self._remove(sheet.free)))
        sheet.present(sheet.cancel)

    async def _remove(self, items: Sequence[MediaItem]) -> None:
        outcomes: Counter[Removal] = Counter()
        for item in items:
            outcomes[await self._media.library.remove(item.path)] += 1
        self.told.emit(Message("info", outcome_words(items, outcomes)))


def outcome_words(items: Sequence[MediaItem], outcomes: Counter[Removal]) -> str:
    """What came of deleting files."""
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


def _said(items: Sequence[MediaItem], free: Sequence[MediaItem], drafts: int) -> list[str]:
    told = []
    needed = [item for item in items if item.needed_by]
    if needed:
        told.append(_needed(needed))
    if free:
        told.append(tr("This can't be undone. Copies on this computer stay."))
        if any(item.used_in for item in free):
            told.append(tr("Published posts aren't affected."))
    if drafts and free:
        told.append(trn("{n} draft will lose its file.", "{n} drafts will lose their file.", drafts))
    return told


def _needed(items: Sequence[MediaItem]) -> str:
    """Why files stay."""
    posts = sum(len(item.needed_by) for item in items)
    if len(items) == 1:
        return trn(
            "“{name}” can't be deleted: {n} unpublished post uses it.",
            "“{name}” can't be deleted: {n} unpublished posts use it.",
            posts,
            name=items[0].name,
        )
    return trn(
        "{files} files can't be deleted: {n} unpublished post uses them.",
        "{files} files can't be deleted: {n} unpublished posts use them.",
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
