"""Every test here starts in the light theme at 100 %; a service in memory and a browser are at hand."""

import gc
from collections.abc import Iterator
from importlib import import_module

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.desktop import motion
from app.desktop.local_time import use_zone
from app.desktop.motion import switch
from app.desktop.theme import theme
from app.workspace.store.tables import MIGRATIONS
from tests.desktop.browsing import SCHEMES, Browser
from tests.desktop.running import service_of_today
from tests.migrated import lay
from tests.workspace.model_service import ModelService

_PANES = (
    "analytics.board",
    "analytics.pane",
    "composer",
    "connections.pane",
    "drafts.pane",
    "history.pane",
    "inspector",
    "media.pane",
    "settings.pane",
    "usage.pane",
    "webhooks.pane",
)


@pytest.fixture(scope="session", autouse=True)
def prepared(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Makes what is made once for a process, which the first test may not have the time for.

    The modules are then left out of the searches for garbage after each test.
    """
    lay(tmp_path_factory.mktemp("prepared") / "workspace.db", MIGRATIONS)
    for pane in _PANES:
        import_module(f"app.desktop.{pane}")
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    """Delete the windows of earlier tests first: a new theme is applied to every widget there is."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.apply(qapp, "light")


@pytest.fixture(autouse=True)
def at_home() -> None:
    use_zone(None)


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


@pytest.fixture(autouse=True)
def resting() -> Iterator[None]:
    """Leave motion as it was: off, because nobody asks the system."""
    yield
    motion.finish_all()
    motion.choose("system")
    switch.set_system(allows=False)


@pytest.fixture
def moving() -> None:
    """Switch motion on."""
    motion.choose("on")
