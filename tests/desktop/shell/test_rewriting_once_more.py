"""Posts that failed while their account was disconnected are offered again, and nothing is sent unasked."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from PySide6.QtWidgets import QApplication
from sqlalchemy import Connection

from app.contract.enums import PostStatus
from app.workspace.clock import Pace, wall_clock
from app.workspace.connections.interruptions import can_be_repeated
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.tables import get_setting
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import Person, at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, settled, until

MINUTE = 60_000
QUESTION = "2 posts failed while LinkedIn was disconnected."


@pytest.fixture
def service() -> ModelService:
    return service_of_today()


def stored_disconnections(rows: Connection) -> dict[str, int]:
    """What the next start knows of disconnected accounts: since when, by key."""
    return get_setting(rows, "disconnected", TypeAdapter(dict[str, int])) or {}


def reconnect(service: ModelService) -> None:
    for account in service.connections:
        account["is_available"] = True


def told(
    qapp: QApplication,
    folder: Path,
    service: ModelService,
    story: Callable[[Person, str], Awaitable[None]],
    pace: Pace = QUICK,
) -> None:
    """LinkedIn is disconnected, and two posts fail, besides others that are not to be repeated."""
    key = service.add_account("linkedin", available=False)
    other = service.add_account("x")

    async def work() -> None:
        async with workspace(folder, service, pace) as opened, at_home(folder, opened) as person:
            await until(lambda: len(opened.accounts) == 2)
            now = wall_clock()
            for text, account, status, ago in (
                ("One", key, "failed", 5 * MINUTE),
                ("Two", key, "failed", MINUTE),
                ("Long ago", key, "failed", 30 * 24 * 60 * MINUTE),
                ("Elsewhere", other, "failed", MINUTE),
                ("Went out", key, "posted", MINUTE),
            ):
                service.add_post(account, now - ago, text, status=status)
            await opened.refresh()
            await until(lambda: len(opened.posts) == 5)
            await story(person, key)

    run(qapp, work)


def test_they_are_published_when_asked_for(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def story(person: Person, _key: str) -> None:
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: QUESTION in person.said())
        assert len(service.posts) == 5
        person.press("Publish now")
        await until(lambda: len(service.posts) == 7)
        made = list(service.posts.values())[5:]
        assert sorted(post["description"] for post in made) == ["One", "Two"]

    told(qapp, tmp_path, service, story)


def test_they_are_planned_for_the_next_day_at_their_times(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def story(person: Person, key: str) -> None:
        before = {post.headline: post.at for post in person.workspace.posts.all()}
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: QUESTION in person.said())
        person.press("Schedule again")
        posts = person.workspace.posts
        await until(lambda: sum(post.status is PostStatus.SCHEDULED for post in posts.all()) == 2)
        ahead = {post.headline: post.at for post in posts.all() if post.status is PostStatus.SCHEDULED}
        assert ahead["Two"] - ahead["One"] == before["Two"] - before["One"]
        assert wall_clock() < ahead["One"] <= wall_clock() + 25 * 60 * MINUTE
        assert all(post.account_key == key for post in posts.all() if post.headline in ahead)

    told(qapp, tmp_path, service, story)


def test_not_now_sends_nothing_and_asks_no_second_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def story(person: Person, _key: str) -> None:
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: QUESTION in person.said())
        person.press("Not now")
        await until(lambda: QUESTION not in person.said())
        await person.workspace.refresh()
        assert await person.workspace.interruptions.ended() == []
        assert len(service.posts) == 5

    told(qapp, tmp_path, service, story)


def test_what_may_be_live_is_never_repeated(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def story(person: Person, _key: str) -> None:
        mirror = person.workspace._core.mirror

        def both() -> list[PlannedPost]:
            return [post for post in person.workspace.posts.all() if post.headline in ("One", "Two")]

        await until(lambda: all(map(can_be_repeated, both())))  # once their reasons are known
        failed = both()
        for post in failed:  # the platform turns out to have it while the question stands
            mirror.put(post._replace(may_be_live=True), None)
        assert not any(can_be_repeated(person.workspace.posts.get(post.key)) for post in failed)
        for act in (person.controller._once_more.publish, person.controller._once_more.plan):
            await act([post.key for post in failed])
        assert len(person.workspace.posts) == len(service.posts) == 5

    told(qapp, tmp_path, service, story)


def test_it_is_asked_after_a_restart_too(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def story(person: Person, key: str) -> None:
        database = person.workspace._core.database
        await until(lambda: key in database.read_now(stored_disconnections))

    told(qapp, tmp_path, service, story)
    reconnect(service)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            await until(lambda: QUESTION in person.said())
            assert len(service.posts) == 5

    run(qapp, work)


def test_a_question_stays_until_it_is_answered(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def story(person: Person, key: str) -> None:
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: QUESTION in person.said())
        service.connections[0]["is_available"] = False
        await person.workspace.refresh()
        service.add_post(key, wall_clock(), "Three", status="failed")
        await person.workspace.refresh()
        await until(lambda: len(person.workspace.posts) == 6)
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: "1 post failed while LinkedIn was disconnected." in person.said())
        assert QUESTION in person.said()

    told(qapp, tmp_path, service, story)


def test_published_again_without_an_answer_they_are_cancelled_by_undo(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def story(person: Person, _key: str) -> None:
        reconnect(service)
        await person.workspace.refresh()
        await until(lambda: QUESTION in person.said())
        service.faults += [("POST", "timeout")] * 10_000
        person.press("Publish now")
        mirror = person.workspace._core.mirror
        await until(lambda: [wish.create_at is not None for wish in mirror.intentions.values()] == [True] * 2)
        await until(lambda: not mirror.sending)
        [message] = [one for one in person.window.messages._shown if "in a moment" in one.text]
        person.window.messages._act(message, message.action)
        assert "2 posts may have been sent already." in person.said()
        service.faults.clear()
        await settled(person.workspace)
        assert len(service.posts) == 5

    told(qapp, tmp_path, service, story)
