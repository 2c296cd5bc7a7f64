"""Asks before the same file is uploaded twice."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import Divider, ElidedLabel, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.media.local_file import LocalFile

_INSET = 20
_NAMED_MOST = 5


class TwiceSheet(Sheet):
    """Names the files that were uploaded before and have not changed since."""

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
