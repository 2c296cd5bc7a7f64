from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def clear_clipboard(qapp: QApplication) -> Iterator[None]:  # noqa: ARG001  the clipboard is the application's
    """Leave no data of Python behind: see ``app.desktop.finishing.clipboard``."""
    yield
    QGuiApplication.clipboard().clear()
