from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication


class Browser(QObject):
    """Takes the addresses that would go to the system browser."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


@pytest.fixture
def browser(qapp: QApplication) -> Iterator[Browser]:  # noqa: ARG001  Qt's handlers need the application
    made = Browser()
    QDesktopServices.setUrlHandler("https", made, "visit")  # type: ignore[arg-type,unused-ignore]
    yield made
    QDesktopServices.unsetUrlHandler("https")
