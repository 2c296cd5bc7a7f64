"""Where pages go that the app opens."""

from PySide6.QtCore import QObject, QUrl, Slot


class Browser(QObject):
    """Takes the addresses that would go to the system browser."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
