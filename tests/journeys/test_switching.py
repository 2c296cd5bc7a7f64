"""Switching between calendars: one is open at a time, and the last choice wins."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from app.desktop.application import Application
from app.desktop.background import unsent
from app.desktop.background.unsaved import UnsavedSheet
from app.desktop.shell.failure import FailureScreen
from app.desktop.widgets import Button
from app.workspace.editing.draft import ComposerDraft
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE
from tests.processes import children
from tests.workspace.failing_disk import refuse
from tests.workspace.opened import until


@asynccontextmanager
async def two_calendars(folder: Path) -> AsyncIterator[tuple[Application, Home, Home]]:
    """Yield the app with two calendars on this computer; the second one is open."""
    application = Application(folder, ZONE)
    assert application.take_folder()
    application.window.show()
    homes = []
    try:
        for _ in range(2):
            await application.leave()
            await application.begin_here(practice=False)
            await application.calendar_painted.wait()
            assert application.visit is not None
            homes.append(application.visit.home)
        yield application, homes[0], homes[1]
    finally:
        await application.close()
        application.window.deleteLater()


@pytest.mark.variation
def test_a_calendar_that_is_chosen_while_another_one_opens_is_the_only_one_open(
    tmp_path: Path, play: Play
) -> None:
    async def journey() -> None:
        before = set(children(recursive=True))
        async with two_calendars(tmp_path) as (application, first, second):
            application._switch_to(first)
            await until(lambda: application.visit is None)  # the second one is closing
            application._switch_to(second)
            await until(lambda: not application._scope.is_busy)
            assert application.visit is not None
            assert application.visit.home.id == second.id
            assert len(set(children(recursive=True)) - before) == 1
        assert set(children(recursive=True)) == before

    play(journey())


@pytest.mark.variation
def test_quitting_while_a_calendar_closes_waits_for_it(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        before = set(children(recursive=True))
        async with two_calendars(tmp_path) as (application, first, _second):
            left = application.visit
            assert left is not None
            application._switch_to(first)
            await until(lambda: application.visit is None)
            await asyncio.sleep(0)
        assert set(children(recursive=True)) == before

    play(journey())


@pytest.mark.logs_error("the last changes could not be kept")
def test_it_is_asked_before_a_calendar_closes_whose_texts_are_not_saved(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        async with two_calendars(tmp_path) as (application, first, second):
            assert application.visit is not None
            workspace = application.visit.workspace
            await refuse(workspace, "INSERT ON settings", "NEW.name = 'composer'")
            workspace.save_composer(ComposerDraft("Half a text"))
            await until(workspace.unsaved_texts)
            for switch in (partial(application._switch_to, first), application._go_to_welcome):
                switch()
                [sheet] = [one for one in application.window.findChildren(UnsavedSheet) if one.isVisible()]
                sheet.stay.click()
                await asyncio.sleep(0.05)
                assert application.visit.home.id == second.id
            application._switch_to(first)
            sheet = application.window.findChildren(UnsavedSheet)[-1]
            sheet.go.click()
            await until(lambda: application.visit is not None and application.visit.home.id == first.id)

    play(journey())


@pytest.mark.variation
def test_it_is_asked_before_another_calendar_stops_the_posts_of_this_one(
    tmp_path: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def journey() -> None:
        async with two_calendars(tmp_path) as (application, first, second):
            monkeypatch.setattr(unsent, "waiting_posts", lambda _workspace: 3)
            for switch in (partial(application._switch_to, first), application._go_to_welcome):
                switch()
                [sheet] = [
                    one for one in application.window.findChildren(unsent.UnpublishedSheet) if one.isVisible()
                ]
                sheet.stay.click()
                await asyncio.sleep(0.05)
                assert application.visit is not None
                assert application.visit.home.id == second.id
            application._switch_to(first)
            sheet = application.window.findChildren(unsent.UnpublishedSheet)[-1]
            sheet.go.click()
            await until(lambda: application.visit is not None and application.visit.home.id == first.id)

    play(journey())


def test_a_calendar_that_cannot_be_opened_is_tried_again_or_left(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        async with two_calendars(tmp_path) as (application, _, second):
            visits = await application._visits()
            other = Home(kind=HomeKind.REMOTE, name="Agency", base_url="https://agency.example")
            await asyncio.to_thread(visits.homes.keep, other)  # its key is missing
            await asyncio.to_thread(visits.homes.keep, second)

            async def fail(act: Callable[[], object]) -> FailureScreen:
                before = set(application.window.findChildren(FailureScreen))
                act()
                await until(lambda: set(application.window.findChildren(FailureScreen)) - before)
                (screen,) = set(application.window.findChildren(FailureScreen)) - before
                assert "Agency" in screen.text
                return screen

            screen = await fail(lambda: application._switch_to(other))
            screen = await fail(screen.retry.emit)
            (back,) = [one for one in screen.findChildren(Button) if one.text() == f"Back to {second.name}"]
            back.click()
            await until(lambda: application.visit is not None and application.visit.home.id == second.id)
            await until(lambda: not application.window.findChildren(FailureScreen))

    play(journey())
