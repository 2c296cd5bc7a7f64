"""The app shows the last state and starts the service before everything else, and loses nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.contract.enums import PostingPlatform, PostStatus
from app.desktop import ahead
from app.desktop.application import Application
from app.desktop.inspector import Inspector
from app.desktop.selftest import SelfTest
from app.service.settings import ToldProxy
from app.workspace.homes.credentials import SecretStore
from app.workspace.homes.programs import SYSTEM_PROXY
from app.workspace.network import Network
from app.workspace.workspace import Workspace
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor
from tests.processes import children


class Planning(SelfTest):
    """Plans a post, which must stay planned."""

    async def plan(self, workspace: Workspace) -> str:
        return await self._plan(workspace, await self._connect(workspace))


@pytest.fixture
def started() -> Callable[[], list[psutil.Process]]:
    """Return the running programs that the test started; journeys before it share a service."""
    before = set(children(recursive=True))
    return lambda: [child for child in children(recursive=True) if child not in before]


def test_what_is_done_on_the_last_state_is_done_once_the_workspace_is_open(
    tmp_path: Path, play: Play, started: Callable[[], list[psutil.Process]]
) -> None:
    async def journey() -> None:
        application = Application(tmp_path, ZONE)
        assert application.take_folder()
        application.window.show()
        await application.begin_here(practice=True)
        assert application.visit is not None
        key = await Planning(application).plan(application.visit.workspace)
        await application.close()

        begun = ahead.begin(tmp_path)
        assert begun is not None
        assert begun.service is None  # the practice platforms start first
        application = Application(tmp_path, ZONE, ahead=begun)
        assert application.take_folder()
        application.window.show()
        beginning = asyncio.create_task(application.begin())
        while (pane := application.first.pane) is None:  # on a busy machine, it may be painted much later
            assert not beginning.done(), "the last state wasn't shown"
            await asyncio.sleep(0)
        assert [post.key for post in pane.model.all()] == [key]
        pane.keys.cancelled.emit([key])
        pane.postOpened.emit(key)
        await beginning
        controller = application.controller
        assert controller is not None
        assert controller.calendar is pane
        actor = Actor(application, controller)
        await actor.until(lambda: controller.workspace.posts.all()[0].status is PostStatus.CANCELLED)
        assert isinstance(application.window.side, Inspector)
        assert [post.platform for post in pane.model.all()] == [PostingPlatform.LINKEDIN]
        await actor.until(lambda: pane.model.post_at(0).status is PostStatus.CANCELLED)
        await application.close()  # while its programs start
        assert started() == []
        application.window.deleteLater()

    play(journey())


def test_the_service_is_told_at_first_what_it_is_told_without_a_choice(tmp_path: Path) -> None:
    network = Network(tmp_path, SecretStore(tmp_path))

    at_first, later = (ToldProxy.model_validate_json(line) for line in (SYSTEM_PROXY, network.line()))

    assert at_first == later


@pytest.mark.variation
def test_the_service_that_was_started_first_is_the_one_that_is_used(
    tmp_path: Path, play: Play, started: Callable[[], list[psutil.Process]]
) -> None:
    async def journey() -> None:
        application = Application(tmp_path, ZONE)
        assert application.take_folder()
        application.window.show()
        await application.begin_here(practice=False)
        await application.close()
        assert started() == []

        begun = ahead.begin(tmp_path)
        (service,) = started()
        assert ahead.begin(tmp_path / ".") is None  # the folder is in use
        application = Application(tmp_path, ZONE, ahead=begun)
        application.window.show()
        await application.begin()
        assert application.controller is not None
        actor = Actor(application, application.controller)
        await actor.until(lambda: application.visit is not None and application.visit.is_service_ready)
        await actor.until(
            lambda: application.visit is not None and application.visit.workspace.sync.connected
        )
        assert started() == [service]
        await application.close()
        assert started() == []
        again = ahead.begin(tmp_path)
        assert again is not None
        assert again.service is not None
        await asyncio.to_thread(again.service.stop)  # nothing took it over
        again.lock.release()
        assert started() == []
        application.window.deleteLater()

    play(journey())
