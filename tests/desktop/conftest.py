"""Every test here starts in the light theme at 100 %; a service in memory and a browser are at hand."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.desktop.theme import theme
from tests.desktop.browsing import SCHEMES, Browser
from tests.desktop.running import service_of_today
from tests.workspace.model_service import ModelService


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.fixture
def service() -> ModelService:
    return service_of_today()


@pytest.fixture
def browser(qapp: QApplication) -> Iterator[Browser]:  # noqa: ARG001  Qt's handlers need the application
    made = Browser()
    for scheme in SCHEMES:
        # The type stub asks for bytes; what runs takes only a str.
        QDesktopServices.setUrlHandler(scheme, made, "visit")  # type: ignore[arg-type,unused-ignore]
    yield made
    for scheme in SCHEMES:
        QDesktopServices.unsetUrlHandler(scheme)
