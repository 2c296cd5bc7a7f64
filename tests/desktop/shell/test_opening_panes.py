"""Opening a pane: the focus moves once, to something that a screen reader reads out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.shell.window import DESTINATIONS
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import at_home
from tests.gallery.accessible import OPERATED
from tests.workspace.model_service import ModelService


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def test_opening_a_pane_moves_the_focus_once_to_something_with_a_name(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")
    seen: list[QWidget] = []

    def moved(_before: QWidget | None, now: QWidget | None) -> None:
        if now is not None:
            seen.append(now)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.complete()
            names = [one.name for one in DESTINATIONS]
            person.window.go(names[0])
            for name in (*names[1:], *reversed(names[:-1])):  # each from the one before and the one after
                seen.clear()
                qapp.focusChanged.connect(moved)
                person.window.go(name)
                qapp.focusChanged.disconnect(moved)
                heard = [_spoken(one) for one in seen]
                assert len(heard) == 1, f"{name}: {heard}"
                part = QAccessible.queryAccessibleInterface(seen[0])
                assert part.role() in OPERATED, f"{name}: {heard}"
                assert part.text(QAccessible.Text.Name), f"{name}: {heard}"

    run(qapp, work)


def _spoken(widget: QWidget) -> str:
    part = QAccessible.queryAccessibleInterface(widget)
    return f"{type(widget).__name__}: {part.role().name} {part.text(QAccessible.Text.Name)!r}"
