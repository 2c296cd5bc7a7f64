"""The stage of the journeys: real programs, and a real window on Qt's event loop."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from app.desktop import aio
from app.desktop.collector import GuiThreadCollector
from tests.journeys.stage import Stage
from tests.journeys.wiretap import Wiretap
from tests.processes import children
from tests.workspace.programs import RealService, real_service

pytest.register_assert_rewrite("tests.journeys.agreement")

Play = Callable[[Coroutine[Any, Any, None]], None]
_PATIENCE_S = 180


@pytest.fixture(autouse=True)
def screen_reader(qapp: QApplication) -> Iterator[None]:
    """Turn accessibility on, because otherwise Qt sends no events."""
    del qapp
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


@pytest.fixture
def play(qapp: QApplication) -> Iterator[Play]:
    """Run a journey; tasks still running at its end are cancelled, as when the app ends.

    Programs of a journey that failed are killed: threads that wait for them would never end.
    """
    before = set(children(recursive=True))
    qapp.setQuitOnLastWindowClosed(False)  # as in the app: clean-up comes after the last window
    collector = GuiThreadCollector()
    with asyncio.Runner(loop_factory=lambda: aio.event_loop(qapp)) as runner:

        def run(journey: Coroutine[Any, Any, None]) -> None:
            try:
                runner.run(asyncio.wait_for(journey, _PATIENCE_S))
            except BaseException:
                for child in set(children(recursive=True)) - before:
                    with suppress(psutil.NoSuchProcess):
                        child.kill()
                raise

        yield run
    collector.stop()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    """Practice platforms, and a service that uses them."""
    with real_service(tmp_path_factory.mktemp("programs")) as service:
        yield service


@pytest.fixture
def stage(tmp_path: Path, programs: RealService) -> Iterator[Stage]:
    """An account of the service, and a forwarder in front of it."""
    service = programs.with_new_account()
    stage = Stage(tmp_path, service, Wiretap(service.base_url, Path(service.ca_file), tmp_path))
    yield stage
    stage.wire.close()
