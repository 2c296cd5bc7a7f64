"""The very first start shows nothing that leads nowhere."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QEvent, QObject

from app.desktop.application import Application
from app.desktop.welcome import WelcomeScreen
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE
from tests.workspace.opened import until


class PaintCount(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.painted = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.painted += event.type() is QEvent.Type.Paint
        return super().eventFilter(watched, event)


def test_the_rail_is_not_painted_before_there_is_a_calendar(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application = Application(tmp_path / "data", ZONE)
        rail, window = PaintCount(application.window.rail), PaintCount(application.window)
        stop = asyncio.Event()
        running = asyncio.create_task(application.run(stop))
        await until(lambda: any(one.isVisible() for one in application.window.findChildren(WelcomeScreen)))
        stop.set()
        assert await running == 0
        assert window.painted > 0
        assert rail.painted == 0
        application.window.deleteLater()

    play(journey())
