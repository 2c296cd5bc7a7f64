"""What the disk didn't take isn't lost without a question."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.background.background import Background
from app.desktop.background.unsaved import UnsavedSheet
from app.desktop.reopening import until_answered
from app.desktop.shell.main_controller import MainController
from app.desktop.widgets import MessageStrip
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.background.test_background import living, service  # noqa: F401  a fixture
from tests.desktop.background.test_replaced import Recorded
from tests.desktop.running import run
from tests.workspace.model_service import ModelService
from tests.workspace.opened import new_post, until
from tests.workspace.test_opening_rescue import no_room

pytestmark = [
    pytest.mark.qt_log_ignore("No such signal QPlatformNativeInterface::systemTrayWindowChanged"),
    pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here"),
]
HOUR = 3_600_000


def sheets(controller: MainController) -> list[UnsavedSheet]:
    return [one for one in controller.window.findChildren(UnsavedSheet) if one.isVisible()]


@asynccontextmanager
async def unsaved(
    folder: Path,
    service: ModelService,  # noqa: F811
    *,
    runs_here: bool = False,
) -> AsyncIterator[tuple[Background, MainController, list[str]]]:
    """A window whose disk is full: the composer's text, a draft and a new post aren't saved."""
    async with living(folder, service, runs_here=runs_here) as (background, controller, ends):
        made, (account, *_) = controller.workspace, controller.workspace.accounts
        told: list[str] = []
        made.listen_messages(lambda message: told.append(message.text))
        with no_room(folder):
            made.save_composer(ComposerDraft("Half a text", (account,), texts={account: "Its own"}))
            made.drafts.keep(ComposerDraft("An idea", title="Its title"))
            made.plan([new_post(account, "A new post", wall_clock() + 9 * HOUR)])
            await until(lambda: len([text for text in told if "isn't saved yet" in text]) >= 2)
            yield background, controller, ends


@contextmanager
def room_again() -> Iterator[None]:
    import resource  # Windows has none

    full, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (full, most))


def quit_(background: Background, _: MainController) -> None:
    background.quit()


def close(_: Background, controller: MainController) -> None:
    controller.window.close()


def restart(background: Background, _: MainController) -> None:
    background._replacement.restart()


Ways = pytest.mark.parametrize("way", [quit_, close, restart])


@Ways
def test_it_is_asked_before_texts_are_lost(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,  # noqa: F811
    way: Callable[[Background, MainController], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["kalends", "--data", str(tmp_path)])

    async def work() -> None:
        async with unsaved(tmp_path, service) as (background, controller, ends):
            background._replacement._successor = successor = Recorded("kalends")
            way(background, controller)
            way(background, controller)  # asks no second time
            assert controller.window.isVisible()
            [sheet] = sheets(controller)
            assert sheet.accessibleName() == "4 texts aren't saved yet"
            sheet.stay.click()
            await until(lambda: not sheets(controller))
            assert (ends, controller.window.isVisible(), successor.command) == ([], True, ("kalends",))
            way(background, controller)
            [sheet] = sheets(controller)
            sheet.go.click()
            await until(lambda: ends)
            await until(lambda: not sheets(controller))

    run(qapp, work)


def test_the_texts_can_be_saved_elsewhere(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,  # noqa: F811
) -> None:
    async def work() -> None:
        async with unsaved(tmp_path, service) as (background, controller, ends):
            background.quit()
            [sheet] = sheets(controller)
            sheet.save_to(tmp_path / "there is no such folder" / "texts.txt")
            await until(lambda: sheet.findChildren(MessageStrip))
            assert not ends
            sheet.save_to(tmp_path / "texts.txt")
            await until(lambda: ends == ["quit"])
            saved = (tmp_path / "texts.txt").read_text("utf-8")
            for text in ("Half a text", "Its own", "An idea", "Its title", "A new post"):
                assert saved.count(text) == 1
            name = next(iter(controller.workspace.accounts.values())).name
            assert f"{name} (X)" in saved

    run(qapp, work)


def test_a_calendar_whose_service_moved_is_not_reopened_until_its_texts_are_saved(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,  # noqa: F811
) -> None:
    async def work() -> None:
        async with unsaved(tmp_path, service, runs_here=True) as (_background, controller, _ends):
            waiting = asyncio.create_task(until_answered(controller))
            await asyncio.sleep(0.5)
            assert not waiting.done()
            assert len(controller.workspace.unsaved_texts()) == 4
            with room_again():
                await asyncio.wait_for(waiting, 30)
                assert controller.workspace.unsaved_texts() == []

    run(qapp, work)
