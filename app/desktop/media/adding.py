"""Adds files to the library: chosen or dropped ones, and addresses that the service downloads."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.media_kinds import KINDS
from app.desktop import carried
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.file_dialogs import ask_for_several
from app.desktop.theme import theme
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    Field,
    Label,
    LineEdit,
    Sheet,
    primary,
    secondary,
)
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.media.local_file import LocalFile
from app.workspace.media.media import Media
from app.workspace.messages import Message, Problem

_FRAME_INSET = 6

_INSET = 20
_NOTE = tr(
    "The service downloads the file. The address must be public and point to "
    "the image or video itself, not to a page that shows it."
)

_NAMED_MOST = 5

_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_CHOICES = (tr("Images and videos ({patterns})", patterns=_ENDINGS), tr("All files (*)"))


class DropGround(QWidget):
    """Accepts files wherever no child widget does."""

    dropped = Signal(object)
    """The paths of the files, a tuple."""

    def __init__(self) -> None:
        super().__init__()
        self._is_aimed_at = False
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files on this computer."""
        if carried.read(event.mimeData()).files:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._aim(aimed=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._aim(aimed=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Pass on the dropped files."""
        self._aim(aimed=False)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(carried.read(event.mimeData()).files)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Show the drop target while files are dragged over it."""
        if self._is_aimed_at:
            box = self.rect().toRectF().adjusted(_FRAME_INSET, _FRAME_INSET, -_FRAME_INSET, -_FRAME_INSET)
            radius = theme.current().metrics.radius_panel
            rounded(QPainter(self), box, radius, fill="accent_soft", line="accent", width=2)

    def _aim(self, *, aimed: bool) -> None:
        self._is_aimed_at = aimed
        self.update()


class ImportSheet(Sheet):
    """Has one field, with its error below."""

    begun = Signal()

    def __init__(self, host: QWidget, media: Media) -> None:
        super().__init__(host, tr("Import from URL"), 520, closes_beside=False)
        self._media = media
        self.address = LineEdit(icon="link")
        self.address.setPlaceholderText("https://example.com/coat.jpg")
        self.field = Field(tr("File address"), self.address, _NOTE)
        self.go = primary(tr("Import"), "download")
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out()
        self.go.clicked.connect(self._begin)
        self.cancel.clicked.connect(self.dismiss)
        self.address.returnPressed.connect(self._begin)
        self.address.textEdited.connect(lambda _text: self.field.set_error(""))

    def _begin(self) -> None:
        try:
            self._media.imports.begin(self.address.text())
        except Problem as problem:
            self.field.set_error(problem.text)
            self.address.setFocus()
            return
        self.dismiss()
        self.begun.emit()

    def _lay_out(self) -> None:
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(14)
        body.addWidget(Label(tr("Import from URL"), "section"))
        body.addWidget(self.field)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))


class TwiceSheet(Sheet):
    """Lists files that were already uploaded and haven't changed since."""

    wanted = Signal()
    """They are to be uploaded again."""

    def __init__(self, host: QWidget, files: Sequence[LocalFile]) -> None:
        super().__init__(host, tr("Uploaded before"), 460)
        self.skip = primary(tr("Skip it") if len(files) == 1 else tr("Skip them"))
        self.again = secondary(tr("Upload again"), "upload")
        head = (
            tr("This file was uploaded before") if len(files) == 1 else tr("These files were uploaded before")
        )
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(head, "section"))
        note = trn(
            "It hasn't changed since. A second copy only takes up more storage.",
            "They haven't changed since. A second copy only takes up more storage.",
            len(files),
        )
        body.addWidget(Label(note, wrap=True))
        for file in files[:_NAMED_MOST]:
            body.addWidget(ElidedLabel(file.name, "card", "text2", elide="middle"))
        if len(files) > _NAMED_MOST:
            body.addWidget(Label(_and_others(len(files) - _NAMED_MOST), "card", "text2"))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.again, self.skip))
        self.skip.clicked.connect(self.dismiss)
        self.again.clicked.connect(self._accept)

    def _accept(self) -> None:
        self.dismiss()
        self.wanted.emit()


def _and_others(number: int) -> str:
    return trn("and {n} other", "and {n} others", number)


class Adding(QObject):
    """Queues the user's files, and reports those that can't be uploaded."""

    told = Signal(Message)
    imported = Signal()
    """An import was begun."""

    def __init__(self, host: QWidget, media: Media, report: OnProblem) -> None:
        super().__init__(host)
        self._host = host
        self._media = media
        self._scope = TaskScope(self, report)

    def ask_for_files(self) -> None:
        """Open the file dialog."""
        ask_for_several(self._host, tr("Add files"), _CHOICES, self.take, "pictures")

    def ask_for_address(self) -> None:
        """Ask for the address of a file."""
        sheet = ImportSheet(self._host, self._media)
        sheet.begun.connect(self.imported)
        sheet.present(sheet.address)

    def take(self, paths: Sequence[Path]) -> None:
        """Check files, and upload those that can be posted."""
        if paths:
            self._scope.start(self._take(paths))

    async def _take(self, paths: Sequence[Path]) -> None:
        looked = await self._media.look_at(paths)
        self._tell_refused([file for file in looked if file.problem])
        good = [file for file in looked if not file.problem]
        again = await self._media.known(good)
        before = {file.path for file in again}
        new = [file for file in good if file.path not in before]
        if again:
            sheet = TwiceSheet(self._host, again)
            sheet.wanted.connect(lambda: self._scope.start(self._media.queue(again)))
            sheet.present(sheet.skip)
        if new:
            await self._media.queue(new)

    def _tell_refused(self, refused: Sequence[LocalFile]) -> None:
        if not refused:
            return
        problems = [file.problem for file in refused]
        if len(refused) == 1:
            self.told.emit(Message("warning", problems[0]))
        else:
            text = trn(
                "{n} file wasn't added. See the details.",
                "{n} files weren't added. See the details.",
                len(refused),
            )
            self.told.emit(Message("warning", text, "\n".join(problems)))
