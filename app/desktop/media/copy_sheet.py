"""A copy of a stored file on its way to this computer: how much is there, and a way to stop it."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from app.desktop.widgets import Button, Divider, Label, Sheet
from app.desktop.widgets.sheet import sheet_foot
from app.desktop.words import data_size
from app.language import tr

_INSET = 20
_SHOWS_AFTER_MS = 500
_STEPS = 1_000


class CopySheet(Sheet):
    """Shows itself when the copy takes a moment; `closed` before `finish` means that the person stops it.

    Args:
        host: any widget of the window.
        name: of the file that is written.
        size: how many bytes there will be; None where nobody knows.
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
        """So many bytes are written."""
        if self._size:
            self.bar.setValue(min(_STEPS, written * _STEPS // self._size))
            told = tr("{done} of {all}", done=data_size(written), all=data_size(self._size))
        else:
            told = data_size(written)
        self.text.setText(told)

    def finish(self) -> None:
        """The copy is there, or cannot be made."""
        self._wait.stop()
        if self.isHidden():
            self.deleteLater()
        else:
            self.dismiss()
