"""Asks for the public address of a file that the service is to fetch."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import Button, Divider, Field, Label, LineEdit, Sheet, primary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.media.media import Media
from app.workspace.messages import Problem

_INSET = 20
_NOTE = tr(
    "The service downloads the file. The address must be public and point to "
    "the image or video itself, not to a page that shows it."
)


class ImportSheet(Sheet):
    """One field. An error is shown below it."""

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
