"""A change sends screen readers no name that a control already has."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.shell.window import DESTINATIONS
from app.workspace.clock import wall_clock
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import at_home
from tests.workspace.model_service import ModelService

DAY = 86_400_000


def test_moving_a_post_names_no_control_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = service.add_account("x")
    for number in range(3):
        service.add_post(account, wall_clock() + (number + 1) * DAY, f"Post {number}")
    service.files = {"me/a.jpg": b"a"}
    service.offers, service.tells_usage = ("media",), True
    named: list[str] = []
    usual = QWidget.setAccessibleName

    def name(widget: QWidget, text: str) -> None:
        if widget.accessibleName() == text:
            named.append(f"{type(widget).__name__} {text!r}")
        usual(widget, text)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.complete()
            for destination in DESTINATIONS:
                person.window.go(destination.name)
                await asyncio.sleep(0.05)
            person.window.go("calendar")
            await asyncio.sleep(0.2)
            post = opened.posts.all()[0]
            monkeypatch.setattr(QWidget, "setAccessibleName", name)
            opened.move({post.key: post.at + DAY})
            await asyncio.sleep(0.3)
            monkeypatch.undo()

    run(qapp, work)
    assert named == []
