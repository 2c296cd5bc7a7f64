"""The sample week on the calendar, and the line after the first post is scheduled."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostingPlatform, PostType
from app.desktop.calendar.notice import Notice
from app.desktop.shell.first_post import first_post_message
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import Button
from app.platforms.cards import by_hand_key
from app.workspace.posts.new import NewPost
from tests.desktop.running import furnish, run, workspace
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import Opened

LISBON = ZoneInfo("Europe/Lisbon")


def buttons(controller: MainController) -> dict[str, Button]:
    """The buttons over the calendar."""
    (notice,) = controller.calendar.findChildren(Notice)
    return {one.text(): one for one in notice.findChildren(Button) if one.isVisibleTo(notice)}


def furnished(opened: Opened, folder: Path) -> MainController:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    return furnish(window, opened)


def test_the_sample_week_comes_and_goes_with_a_click(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            controller = furnished(opened, tmp_path)
            calendar = controller.calendar
            buttons(controller)["Show a sample week"].click()
            assert calendar.model.rowCount() == len(opened.samples.posts) > 0
            first = opened.samples.posts.all()[0]
            assert calendar.shows(first.key)
            assert "Instagram (sample)" in calendar.model.described(first)
            buttons(controller)["Remove the samples"].click()
            assert calendar.model.rowCount() == 0
            assert set(buttons(controller)) == {"Connect an account", "Show a sample week"}
            controller.close()

    run(qapp, work)


def test_samples_move_and_go_without_a_trace(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            controller = furnished(opened, tmp_path)
            calendar = controller.calendar
            calendar.show_samples()
            first, second, *_ = opened.samples.posts
            calendar.keys.moved.emit({first.key: first.at + HOUR})
            moved = calendar.model.get(first.key)
            assert moved is not None
            assert moved.at == first.at + HOUR
            calendar.keys.cancelled.emit([second.key])
            assert calendar.model.get(second.key) is None
            assert not opened.history
            controller.panels.inspect(first.key)
            assert controller.window.side is None
            assert calendar.notice.text().startswith("That's a sample.")
            assert set(buttons(controller)) == {"Connect an account", "Remove the samples"}
            assert controller.window.messages.texts() == [], "the notice has the same button"
            await opened.refresh()
            assert not service.posts
            controller.close()

    run(qapp, work)


def test_every_sample_has_the_same_mark(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            controller = furnished(opened, tmp_path)
            controller.calendar.show_samples()
            cards = controller.calendar.grid.view.page.cards
            samples = opened.samples.posts.all()
            assert {post.post_type for post in samples} >= {PostType.TEXT, PostType.IMAGE}
            wanted = [cards._wanted(post, cards.look(post, post.at), "") for post in samples]
            tags = [cards._arranged(140, 52, wish).tag for wish in wanted]
            assert len({tag.width if tag else 0 for tag in tags}) == 1, "the word fits everywhere or nowhere"
            controller.close()

    run(qapp, work)


def test_the_first_account_replaces_the_samples(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            controller = furnished(opened, tmp_path)
            controller.calendar.show_samples()
            service.add_account("linkedin")
            await opened.refresh()
            assert controller.calendar.model.rowCount() == 0
            assert set(buttons(controller)) == {"New post"}
            controller.close()

    run(qapp, work)


@pytest.mark.parametrize(
    ("platform", "runs_here", "words"),
    [
        ("linkedin", True, "Keep Kalends running"),
        ("linkedin", False, "You can close Kalends"),
        (by_hand_key("x"), True, "Kalends reminds you"),
    ],
)
def test_only_the_first_post_gets_a_line(
    qapp: QApplication, tmp_path: Path, service: ModelService, platform: str, runs_here: bool, words: str
) -> None:
    account = service.add_account(platform)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:

            def plan(number: int) -> list[str]:
                post = NewPost(
                    account_key=account,
                    platform=PostingPlatform(platform),
                    post_type=PostType.TEXT,
                    at=service.clock() + number * HOUR,
                    text="Wool is warm.",
                    idempotency_key=f"post-{number}",
                )
                return opened.plan([post])

            told = first_post_message(opened, plan(1), LISBON, runs_here=runs_here)
            assert told is not None
            assert words in told.text
            assert first_post_message(opened, plan(2), LISBON, runs_here=runs_here) is None

    run(qapp, work)
