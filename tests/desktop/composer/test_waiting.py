"""Scheduling that is asked for while the file is on its way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from app.desktop.widgets import Button
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media import media
from app.workspace.notices.notice import Notice
from app.workspace.workspace import Workspace
from tests.desktop.composer.composing import stored
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import Person, at_home, tomorrow
from tests.workspace.media.samples import SlowLine, picture, video
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, until


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.add_account("x")
    return made


@asynccontextmanager
async def asked_early(
    folder: Path, service: ModelService, line: SlowLine, *, accounts: int = 1
) -> AsyncIterator[tuple[Person, ComposerPanel]]:
    """A film was dropped, and "Schedule" pressed before it is there."""
    opened = await Workspace.open(
        line.client(), folder / "workspace.db", name="Test", clock=service.clock, pace=QUICK
    )
    try:
        await opened.refresh()
        async with at_home(folder, opened) as person:
            person.drop([video(folder, "walk.mp4", 1_500_000)], tomorrow())
            panel = await person.composer()
            await until(lambda: line.uploads == 1)
            for account in tuple(opened.accounts)[:accounts]:
                panel.accounts.toggle(account).click()
            assert panel.frame.schedule.text() == "Schedule when uploaded"
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            posts = "1 post" if accounts == 1 else f"{accounts} posts"
            assert panel.frame.said() == f"Once “walk.mp4” is uploaded, {posts} will be scheduled."
            assert len(opened.posts) == 0
            yield person, panel
    finally:
        await opened.close()


def test_the_post_is_scheduled_by_itself_when_the_file_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            assert panel.problems.texts() == ()
            assert not panel.frame.to_fix.isVisible()
            line.go.set()
            await until(lambda: person.window.side is None)
            await until(lambda: person.workspace.sync.waiting == 0)
            (post,) = service.posts.values()
            assert (post["post_type"], post["media_storage_path"]) == ("video", next(iter(service.files)))

    run(qapp, work)


def test_nothing_is_scheduled_of_a_post_that_was_changed_meanwhile(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            QTest.keyClicks(panel.text_box.editor, "W")
            assert "You changed the post" in panel.frame.said()
            line.go.set()
            await until(lambda: stored(panel))
            assert len(person.workspace.posts) == 0
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            assert len(person.workspace.posts) == 1

    run(qapp, work)


def test_waiting_can_be_ended(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            (button,) = [one for one in panel.findChildren(Button) if one.text() == "Cancel"]
            foot = panel.frame._foot
            assert foot.isAncestorOf(button)
            assert (
                button.mapTo(foot, button.rect().bottomLeft()).y() + 8
                <= panel.frame.schedule.geometry().top()
            )
            assert not panel.frame.schedule.isEnabled()
            button.setFocus()
            button.click()
            assert panel.frame.said() == ""
            assert panel.frame.schedule.isEnabled()
            assert panel.frame.schedule.hasFocus()
            line.go.set()
            await until(lambda: stored(panel))
            assert len(person.workspace.posts) == 0
            assert panel.frame.schedule.text() == "Schedule 1 post"

    run(qapp, work)


def test_whoever_leaves_meanwhile_is_told_that_nothing_is_scheduled(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Escape)
            assert "Not scheduled: “walk.mp4” hasn't finished uploading." in person.said()
            kept = await person.workspace.load_composer()
            assert kept is not None
            assert kept.account_keys == tuple(person.workspace.accounts)
            line.go.set()

    run(qapp, work)


def test_an_upload_that_is_held_back_is_waited_for_no_longer(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            await person.workspace.media.uploads.pause(panel.model.files.ids.of(panel.model.version))
            assert panel.frame.to_fix.text() == "1 to fix"
            assert panel.file.again.text() == "Resume"
            assert panel.file.again.hasFocus()
            QTest.mouseClick(panel.file.again, Qt.MouseButton.LeftButton)
            await until(lambda: panel.model.awaited)
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            line.go.set()
            await until(lambda: len(person.workspace.posts) == 1)

    run(qapp, work)


def test_it_is_scheduled_also_while_the_window_is_in_the_tray(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, _panel):
            person.window.hide()
            line.go.set()
            await until(lambda: len(person.workspace.posts) == 1)
            assert "Nothing is scheduled" not in person.said()
            assert person.window.side is None

    run(qapp, work)


def test_a_promise_that_cannot_be_kept_is_told_while_the_window_is_in_the_tray(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = SlowLine(service)

    async def work() -> None:
        async with asked_early(tmp_path, service, line) as (person, panel):
            told: list[Notice] = []
            stop = person.workspace.notices.listen(told.append, lambda _news: False)
            person.window.hide()
            at = panel.model.schedule.at
            assert at is not None
            monkeypatch.setattr(panel.model, "_now", lambda: at + 60_000)
            line.go.set()
            await until(lambda: told)
            assert told[0].title == "Your post wasn't scheduled"
            assert told[0].text == "That time has passed. Choose a later one."
            stop()
            person.controller.act(told[0].action)
            assert person.window.side is panel
            assert len(person.workspace.posts) == 0

    run(qapp, work)


def test_it_is_not_scheduled_for_fewer_accounts_than_was_said(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)
    service.add_account("facebook")

    async def work() -> None:
        async with asked_early(tmp_path, service, line, accounts=2) as (person, panel):
            service.connections[1]["is_available"] = False
            await person.workspace.refresh()
            assert panel.frame.said() == (
                "One of the accounts is no longer available, so this post isn't waiting "
                "for its file anymore. Schedule it when it's ready."
            )
            line.go.set()
            await until(lambda: stored(panel))
            assert len(person.workspace.posts) == 0

    run(qapp, work)


@asynccontextmanager
async def arriving(
    folder: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Person, ComposerPanel, asyncio.Event]]:
    """A picture was dropped, and is still being inspected; the event lets it become an upload."""
    go = asyncio.Event()
    async with workspace(folder, service) as opened, at_home(folder, opened) as person:
        usage = opened.media._client.usage

        async def usage_later() -> object:
            await go.wait()
            return await usage()

        monkeypatch.setattr(opened.media._client, "usage", usage_later)
        monkeypatch.setattr(media, "_ROOM_S", 60.0)
        opened.save_composer(
            ComposerDraft("Look", tuple(opened.accounts), at=tomorrow(), zone="Europe/Lisbon")
        )
        person.controller.panels.compose()
        panel = await person.composer()
        panel.attachment.take([picture(folder, "coat.jpg")])
        assert panel.file.name.text() == "coat.jpg"
        assert panel.file.facts.text() == "Adding…"
        try:
            yield person, panel, go
        finally:
            go.set()


@pytest.mark.parametrize(
    ("button", "promise"),
    [
        ("schedule", "Once “coat.jpg” is added, your post will be scheduled."),
        ("publish", "Once “coat.jpg” is added, your post will be published."),
    ],
)
def test_a_post_waits_for_a_file_that_is_still_being_inspected(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,
    monkeypatch: pytest.MonkeyPatch,
    button: str,
    promise: str,
) -> None:
    async def work() -> None:
        async with arriving(tmp_path, service, monkeypatch) as (person, panel, go):
            QTest.mouseClick(getattr(panel.frame, button), Qt.MouseButton.LeftButton)
            assert panel.frame.said() == promise
            assert len(person.workspace.posts) == 0
            go.set()
            await until(lambda: person.window.side is None)
            await until(lambda: [post["post_type"] for post in service.posts.values()] == ["image"])

    run(qapp, work)


def test_a_draft_is_saved_with_the_file_that_was_just_dropped(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with arriving(tmp_path, service, monkeypatch) as (person, panel, go):
            panel.save_copy()
            assert panel.frame.said() == "Once “coat.jpg” is added, a copy will be saved to Drafts."
            assert person.workspace.drafts.all() == []
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
            assert panel.frame.said() == "Once “coat.jpg” is added, the draft will be saved."
            go.set()
            await until(lambda: person.window.side is None)
            (draft,) = person.workspace.drafts.all()
            assert draft.content.upload_id

    run(qapp, work)


def test_closing_says_that_a_file_was_not_attached(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with arriving(tmp_path, service, monkeypatch) as (person, panel, _go):
            words = "Not attached: “coat.jpg” wasn't ready yet. Your text is saved; attach the file again."
            assert person.controller.panels.unfinished() == words
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Escape)
            assert words in person.said()
            assert person.controller.panels.unfinished() == ""

    run(qapp, work)


def test_a_post_is_not_scheduled_without_a_file_that_could_not_be_added(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft("Look", tuple(opened.accounts), at=tomorrow()))
            person.controller.panels.compose()
            panel = await person.composer()
            panel.attachment.take([tmp_path / "gone.png"])
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            await until(lambda: not panel.attachment.arriving)
            assert "gone.png" in panel.frame.said()
            assert panel.frame.schedule.isEnabled()
            assert not panel.file.isVisible()
            assert len(opened.posts) == 0

    run(qapp, work)


def test_a_file_that_is_still_being_inspected_can_be_removed(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with arriving(tmp_path, service, monkeypatch) as (_person, panel, go):
            QTest.mouseClick(panel.file.cross, Qt.MouseButton.LeftButton)
            await until(lambda: not panel.attachment.arriving)
            assert not panel.file.isVisible()
            go.set()
            await asyncio.sleep(0.05)
            assert panel.model.upload is None

    run(qapp, work)
