"""The ways in: files that are picked or dropped, and addresses that the service fetches from."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.contract.media_kinds import KINDS
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.file_dialogs import ask_for_several
from app.desktop.media.import_sheet import ImportSheet
from app.desktop.media.twice_sheet import TwiceSheet
from app.language import tr, trn
from app.workspace.media.local_file import LocalFile
from app.workspace.media.media import Media
from app.workspace.messages import Message

_ENDINGS = " ".join(f"*.{ending}" for kind in KINDS for ending in kind.extensions)
_CHOICES = (tr("Images and videos ({patterns})", patterns=_ENDINGS), tr("All files (*)"))


class Adding(QObject):
    """Queues the user's files, and says which can't be uploaded."""

    told = Signal(Message)
    imported = Signal()
    """An import was begun."""

    def __init__(self, host: QWidget, media: Media, report: OnProblem) -> None:
        super().__init__(host)
        self._host = host
        self._media = media
        self._scope = TaskScope(self, report)

    def ask_for_files(self) -> None:
        """Let the person choose files."""
        ask_for_several(self._host, tr("Add files"), _CHOICES, self.take, "pictures")

    def ask_for_address(self) -> None:
        """Let the person name the address of a file."""
        sheet = ImportSheet(self._host, self._media)
        sheet.begun.connect(self.imported)
        sheet.present(sheet.address)

    def take(self, paths: Sequence[Path]) -> None:
        """Look at files and upload those that can be posted."""
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
