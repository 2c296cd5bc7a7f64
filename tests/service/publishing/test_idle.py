"""An engine with nothing to do leaves the database, and with it the processor, alone."""

from datetime import timedelta

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
