"""The window continues with its last state until the service has started, wherever that is."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from app.desktop.application import Application
from app.desktop.shell.failure import FailureScreen
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor
from tests.workspace.homes.test_embedded import take
from tests.workspace.opened import until


@pytest.mark.variation
def test_a_service_whose_address_was_taken_is_followed_to_its_new_one(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application = Application(tmp_path, ZONE)
        assert application.take_folder()
        application.window.show()
        await application.begin_here(practice=False)
        assert application.visit is not None
        home = application.visit.home
        await application.close()

        with socket.socket() as other:
            other.bind(("127.0.0.1", home.service_port))
            other.listen()
            application = Application(tmp_path, ZONE)
            assert application.take_folder()
            application.window.show()
            await application.begin()
            assert application.controller is not None
            actor = Actor(application, application.controller)
            moves: list[str] = []

            def is_settled() -> bool:
                visit = application.visit
                if visit is None:
                    return False
                if visit.workspace.base_url not in moves:
                    moves.append(visit.workspace.base_url)
                return visit.is_service_ready and visit.workspace.sync.connected

            await actor.until(is_settled)
            assert moves[0] == home.base_url
            assert len(moves) == 2
            assert not application.window.status.accessibleName().startswith("Starting")
            await application.close()
        application.window.deleteLater()

    play(journey())


def test_a_service_that_is_restarted_at_another_address_is_followed(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application = Application(tmp_path, ZONE)
        assert application.take_folder()
        application.window.show()
        await application.begin_here(practice=False)
        assert application.visit is not None
        before = application.visit
        assert before.embedded is not None
        assert before.embedded.service_pid is not None
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            os.kill(before.embedded.service_pid, signal.SIGKILL)
            await asyncio.to_thread(take, other, before.home.service_port)
            await until(lambda: application.visit not in (before, None), patience=60)
            opened = application.visit
            assert opened is not None
            assert opened.workspace.base_url != before.workspace.base_url
            await until(lambda: opened.workspace.sync.connected, patience=60)
            await application.close()
        application.window.deleteLater()

    play(journey())


@pytest.mark.logs_error("the embedded service did not start")
def test_a_service_that_cannot_be_run_is_reported_and_tried_again(
    tmp_path: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def journey() -> None:
        application = Application(tmp_path, ZONE)
        assert application.take_folder()
        window = application.window
        window.show()
        await application.begin_here(practice=False)
        await application.leave()
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", str(tmp_path / "missing"))
            await application.begin()
            await until(lambda: window.findChildren(FailureScreen))
        (screen,) = window.findChildren(FailureScreen)
        assert screen.text.startswith("The service on this computer couldn't be started")
        assert str(tmp_path / "missing") in screen.details.text()
        assert not window.status.accessibleName().startswith("Starting")
        assert window.messages.texts() == []
        screen.retry.emit()
        await until(lambda: application.visit is not None and application.visit.workspace.sync.connected)
        assert not window.findChildren(FailureScreen)
        await application.close()
        window.deleteLater()

    play(journey())
