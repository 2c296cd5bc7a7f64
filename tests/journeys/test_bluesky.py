"""From an empty data folder to a post on Bluesky's stand-in, without a developer app."""

import asyncio
from pathlib import Path

import httpx
import pytest

from app.desktop.application import Application
from app.desktop.welcome import WelcomeScreen
from tests.journeys.bluesky import Login, publish
from tests.journeys.conftest import Play
from tests.journeys.hands import Hands
from tests.journeys.stage import ZONE, Actor, Browser
from tests.workspace.opened import until

TEXT = "Wool and how to wash it #wool"


@pytest.mark.parametrize(
    ("login", "actions_max"),
    [
        (Login("maya"), 12),
        pytest.param(Login("maya", "abcd-efgh-2345-6789"), 13, marks=pytest.mark.variation),
    ],
)
def test_a_post_is_on_bluesky_within_a_few_actions(
    tmp_path: Path, play: Play, login: Login, actions_max: int
) -> None:
    async def journey() -> None:
        application = Application(tmp_path / "data", ZONE)
        window, stop = application.window, asyncio.Event()
        window.resize(1280, 800)
        running = asyncio.create_task(application.run(stop))
        try:
            with Browser("allow"):
                await until(lambda: any(one.isVisible() for one in window.findChildren(WelcomeScreen)))
                hands = Hands(window)
                (welcome,) = window.findChildren(WelcomeScreen)
                hands.click(welcome.practice)
                await until(lambda: application.controller is not None, patience=90)
                assert application.controller is not None
                actor = Actor(application, application.controller)
                await until(lambda: len(actor.workspace.accounts) == 2, patience=60)
                await until(lambda: actor.controller.connections.sheet is None)
                key = await publish(actor, hands, login, TEXT)

            assert len(hands.done) <= actions_max, hands.done
            detail = await actor.workspace.detail(key)
            page = await asyncio.to_thread(httpx.get, detail.page, follow_redirects=True, trust_env=False)
            assert TEXT in page.text
        finally:
            stop.set()
            assert await running == 0
            window.deleteLater()

    play(journey())
