"""The style below the style sheet: Qt's Fusion, and plain text wherever Qt would guess."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget


class PlainTextStyle(QProxyStyle):
    """Fusion whose labels and tooltips show text as it is written.

    A label that guesses takes `<img src="file:...">` in a post's text or an account's name for markup, and
    reads the file. Qt's tooltip is such a label; it is polished before it gets its text.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, polished: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Prepare a widget before it is shown for the first time."""
        if isinstance(polished, QLabel) and polished.textFormat() is Qt.TextFormat.AutoText:
            polished.setTextFormat(Qt.TextFormat.PlainText)
        super().polish(polished)
