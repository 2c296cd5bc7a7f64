"""Posts that are deleted for good during a call whose answer is lost: what it published is on record."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import Connection, func, select

from app.contract.enums import ConnectionPlatform
from app.service.posts.changing import remove
from app.service.store.tables import events, posts, removed_posts
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

BRIEF = SETTINGS.model_copy(update={"lease": timedelta(seconds=15)})


async def delete(world: World, post_id: UUID) -> None:
    await world.database.write(lambda rows: remove(rows, world.account_id, post_id))


def delete_during_call(world: World, post_id: UUID) -> FakePlatform:
    (there,) = world.platforms.values()
    there.during = lambda: delete(world, post_id)
    return there


def told(world: World) -> list[str]:
    return world.database.read_now(lambda rows: list(rows.scalars(select(events.c.type))))


def rows_left(world: World) -> int:
    """Rows that still hold something of a removed post."""

    def work(rows: Connection) -> int:
        return sum(
            rows.scalar(select(func.count()).select_from(table)) or 0 for table in (posts, removed_posts)
        )

    return world.database.read_now(work)


def test_what_a_lost_call_published_is_found(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Gone but live")
        there = delete_during_call(world, post_id)
        there.fates = [Fate.LOST_AFTER]
        world.start(BRIEF)
        await world.until(lambda: len(world.contents()) == 1)
        await world.until(lambda: rows_left(world) == 0)

        (content,) = world.contents()
        assert (content.post_id, content.description) == (post_id, "Gone but live")
        assert content.url == "https://social.example/item-0"
        assert told(world) == ["post.published"]
        assert [attempt.outcome for attempt in world.attempts(post_id)] == ["published"]
        assert there.ledger == [("person-0", "Gone but live")]

    play(scene, listing())


def test_what_was_not_published_leaves_nothing_and_is_not_sent_again(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add()
        there = delete_during_call(world, post_id)
        there.fates = [Fate.LOST_BEFORE]
        world.start(BRIEF)
        await world.until(lambda: there.calls == 1)
        await world.until_done()
        await world.until(lambda: rows_left(world) == 0)

        assert [attempt.outcome for attempt in world.attempts(post_id)] == ["transient"]
        assert (there.calls, there.ledger, world.contents(), told(world)) == (1, [], [], [])

    play(scene, listing())


def test_what_nobody_can_find_out_is_told_as_such_and_not_sent_again(play: Played) -> None:
    """LinkedIn would name the first post if it were sent once more; that is not done for a deleted one."""

    async def scene(world: World) -> None:
        post_id = world.add()
        there = delete_during_call(world, post_id)
        there.fates = [Fate.LOST_BEFORE]
        world.start(BRIEF)
        await world.until(lambda: there.calls == 1)
        await world.until_done()
        await world.until(lambda: rows_left(world) == 0)

        (attempt,) = world.attempts(post_id)
        assert attempt.outcome == "unknown"
        assert "Check the account on LinkedIn" in attempt.advice
        assert (there.calls, world.contents(), told(world)) == (1, [], [])

    play(scene, refusing())


def test_it_is_found_after_the_program_died_in_the_call(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.KILLED_AFTER]
        post_id = world.add("Gone but live")
        world.start(BRIEF)
        await world.until(world.database.killed.is_set)
        await world.crash()
        world.database.killed.clear()
        await delete(world, post_id)
        world.start(BRIEF)
        await world.until(lambda: len(world.contents()) == 1)

        assert [attempt.outcome for attempt in world.attempts(post_id)] == ["published"]
        assert len(there.ledger) == 1

    play(scene, listing())


def test_of_two_engines_one_writes_it_down(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add("Gone but live")
        delete_during_call(world, post_id).fates = [Fate.LOST_AFTER]
        for _ in range(2):
            world.start(BRIEF, exclusive=False)
        await world.until(lambda: len(world.contents()) == 1)
        await world.until(lambda: rows_left(world) == 0)

        assert told(world) == ["post.published"]

    play(scene, listing())


def test_a_post_without_an_open_call_is_gone_at_once(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add(due_in=timedelta(days=1))
        await delete(world, post_id)

        assert rows_left(world) == 0

    play(scene, listing())
