"""Every test here starts in the light theme at 100 %."""

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.theme import theme


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
