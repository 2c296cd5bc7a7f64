"""A post's panel for people who use a screen reader: it's announced, and every fact can be reached."""

from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.inspector import Inspector
from app.desktop.widgets.focus import tab_stops
from app.workspace.clock import wall_clock
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

DAY = 86_400_000


@pytest.fixture
def service() -> ModelService:
    return service_of_today()


def test_opening_a_post_is_announced_and_f6_leads_to_it(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = service.add_post(service.add_account(), wall_clock() - DAY, "Swatch day", status="failed")
    service.posts[UUID(key)]["error_message"] = "Permission missing."
    said: list[str] = []
    monkeypatch.setattr("app.desktop.inspector.panel.announce", lambda _source, text, **_: said.append(text))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("calendar")
            (post,) = opened.posts.all()
            person.controller.calendar.postOpened.emit(post.key)
            panel = person.window.side
            assert isinstance(panel, Inspector)
            assert said
            assert said[0].startswith("Panel open: “Swatch day”")
            assert said[0].endswith("Press F6 to go to it.")
            await until(lambda: panel.has_loaded)
            focused = QApplication.focusWidget()
            assert focused is not None
            for _ in range(4):
                QTest.keyClick(QApplication.focusWidget() or person.window, Qt.Key.Key_F6)
                if panel.isAncestorOf(QApplication.focusWidget() or person.window):
                    break
            assert panel.isAncestorOf(QApplication.focusWidget() or person.window)
            parts = map(QAccessible.queryAccessibleInterface, tab_stops(panel))
            spoken = [part.text(QAccessible.Text.Name) for part in parts]
            assert panel.outcome.headline.text() in spoken

    run(qapp, work)
