"""The window continues with its last state until the service has started, wherever that is."""

import socket
from pathlib import Path

from app.desktop.application import Application
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor


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
