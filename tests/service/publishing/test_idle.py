"""An engine with nothing to do leaves the database, and with it the processor, alone."""

from datetime import timedelta

import pytest

from app.contract.enums import PostStatus
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import LONGEST_NAP, FastTime, listing
from tests.service.publishing.world import SETTINGS, World
from tests.stores import sqlite_alone

pytestmark = sqlite_alone("PostgreSQL doesn't tell of changes, and others may have made some")

_MINUTE = timedelta(minutes=1)
_SELDOM_RENEWED = SETTINGS.model_copy(update={"lease": timedelta(hours=1)})


def test_it_writes_nothing_until_something_is_due(play: Played) -> None:
    async def scene(world: World) -> None:
        later = world.add("Next week", due_in=timedelta(days=7))
        world.start(_SELDOM_RENEWED)
        await world.time.sleep(2 * LONGEST_NAP)
        commits: list[None] = []
        world.database.on_commit(lambda: commits.append(None))
        await world.time.sleep(_MINUTE)

        assert commits == []
        assert world.post(later).status == PostStatus.SCHEDULED

    play(scene, listing())


def test_what_another_process_plans_is_published_without_a_word(play: Played) -> None:
    async def scene(world: World) -> None:
        world.start()
        await world.time.sleep(2 * LONGEST_NAP)
        post_id = world.add("Unannounced", due_in=timedelta(seconds=1))
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

        post = world.post(post_id)
        assert post.posted_at - post.scheduled_at < 2 * LONGEST_NAP

    play(scene, listing())


class CountedTime(FastTime):
    """Time that is certain without an answer, as after two minutes without a network."""

    checks = 0

    async def check(self) -> bool:
        self.checks += 1
        return True


def test_a_preparer_without_files_does_not_ask_for_the_time(play: Played) -> None:
    async def scene(world: World) -> None:
        world.time = time = CountedTime()
        world.add("In a minute", due_in=_MINUTE)
        world.prepare(_SELDOM_RENEWED)
        await time.sleep(_MINUTE)

        assert time.checks == 0

    play(scene, listing())


class UncertainTime(FastTime):
    """Time of a computer that hasn't reached a platform yet."""

    checks = 0
    is_certain = False

    async def check(self) -> bool:
        self.checks += 1
        return self.is_certain


@pytest.mark.parametrize(
    ("due_in", "checks"),
    [(timedelta(days=7), range(1, 8)), (timedelta(minutes=1.5), range(8, 1_000))],
    ids=["later", "soon"],
)
def test_it_asks_for_an_uncertain_time_more_often_when_posts_are_due_soon(
    play: Played, due_in: timedelta, checks: range
) -> None:
    async def scene(world: World) -> None:
        world.time = time = UncertainTime()
        world.add("Later", due_in=due_in)
        world.start(_SELDOM_RENEWED)
        await time.sleep(_MINUTE)

        assert time.checks in checks

    play(scene, listing())


def test_posts_are_published_once_the_time_is_certain(play: Played) -> None:
    async def scene(world: World) -> None:
        world.time = time = UncertainTime()
        world.start()
        await time.sleep(2 * LONGEST_NAP)
        post_id = world.add("Now", due_in=timedelta())
        await time.sleep(2 * LONGEST_NAP)
        assert world.post(post_id).status != PostStatus.POSTED
        time.is_certain = True
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

        post = world.post(post_id)
        assert post.posted_at - post.scheduled_at < 4 * LONGEST_NAP

    play(scene, listing())


def test_it_seldom_asks_for_the_time(play: Played) -> None:
    async def scene(world: World) -> None:
        world.time = time = CountedTime()
        world.add("Next week", due_in=timedelta(days=7))
        world.start(_SELDOM_RENEWED)
        await time.sleep(2 * LONGEST_NAP)
        time.checks = 0
        await time.sleep(_MINUTE)

        assert 0 < time.checks <= 7

    play(scene, listing())
