"""Posts that the user publishes by hand, in the inspector."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop.inspector import Inspector
from app.desktop.widgets import Label
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

MINUTE = 60_000


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service)


def test_a_waiting_post_offers_what_can_be_done(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    key = places.add_post_by_hand(places.add_account("x-by-hand"), wall_clock() - MINUTE, "Wool")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await until(lambda: panel.has_loaded)
            told: list[Message] = []
            wanted: list[str] = []
            panel.told.connect(told.append)
            panel.finishing_wanted.connect(wanted.append)
            by_hand = panel.by_hand
            assert panel.head.status.text() == "Waiting for you"
            assert by_hand.headline.text() == "Publish this on X now"
            assert not panel.move_button.isVisible()
            by_hand.open_button.click()
            assert wanted == [key]
            assert by_hand.advice.text() == "Kalends gives you the text."
            by_hand.later_button.click()
            assert panel.form.isVisible()
            assert panel.form.move_button.text() == "Remind me"
            assert "Remind me again at" in [label.text() for label in panel.form.findChildren(Label)]
            panel.form.cancel_button.click()
            by_hand.done_button.click()
            await until(lambda: told)
            assert panel.head.status.text() == "Published by you"
            assert not by_hand.isVisible()
            assert told[0].text == "Marked as published."
            await opened.finishing.take_back(key)
            assert by_hand.isVisible()
            by_hand.skip_button.click()
            post = opened.posts.get(key)
            assert post is not None
            assert post.status is PostStatus.CANCELLED
            assert not by_hand.isVisible()

    run(qapp, work)


def test_a_failed_post_can_still_be_reported(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("x-by-hand")
    key = places.add_post_by_hand(account, wall_clock() - 30 * 60 * MINUTE, "Wool", "failed")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await until(lambda: panel.has_loaded)
            assert panel.by_hand.headline.text() == "Have you published it yourself?"
            assert not panel.by_hand.skip_button.isVisible()
            panel.by_hand.done_button.click()
            await until(lambda: panel.head.status.text() == "Published by you")

    run(qapp, work)
