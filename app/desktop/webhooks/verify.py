"""How an endpoint checks a delivery: a function to copy, in one of four languages."""

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.kit.code import Code
from app.desktop.widgets import Label, Segmented, quiet
from app.language import tr
from app.workspace.webhooks.snippets import SNIPPETS

_COPIED_MS: Final = 2_000
_NOTE: Final = tr("The signature covers the raw bytes.")
_HEADER: Final = tr("The second argument is the X-Service-Signature header as received")


class Verify(QWidget):
    """Languages, the function, and a button that copies it."""

    def __init__(self) -> None:
        super().__init__()
        languages = [(key, name) for key, (name, _code) in SNIPPETS.items()]
        self.languages = Segmented(languages, tr("Language of the example"))
        self.code, self.copy = (
            Code(tr("Example that verifies a delivery")),
            quiet(tr("Copy"), "copy", size="small"),
        )
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.addWidget(Label(tr("Verify a delivery"), "strong"))
        head.addStretch(1)
        head.addWidget(self.languages)
        foot.addWidget(Label(_NOTE, "card", "text3", wrap=True), 1)
        foot.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.code, 1)
        column.addLayout(foot)
        self.languages.selected.connect(lambda _key: self._show())
        self.code.setToolTip(_HEADER)
        self.copy.clicked.connect(self._copy)
        self._copied.timeout.connect(lambda: self._say(tr("Copy"), "copy"))
        self._show()

    def _show(self) -> None:
        self.code.show_code(SNIPPETS[self.languages.value()][1].rstrip("\n"))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(SNIPPETS[self.languages.value()][1])
        self._say(tr("Copied"), "check")
        self._copied.start()

    def _say(self, words: str, icon: str) -> None:
        self.copy.setText(words)
        self.copy.set_icon(icon)
