"""Posts that are deleted on their way out: what is live stays on record, the rest stays home."""

import asyncio
from datetime import timedelta

import pytest
import structlog
from sqlalchemy import Connection, delete, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.deletion import delete_connection
from app.service.posts.changing import remove
from app.service.problems import CommandProblem
from app.service.store.tables import connections, posts
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import Fate, listing
from tests.service.publishing.world import SETTINGS, World


@pytest.mark.parametrize("statement", ["cancel", "delete"])
def test_a_post_that_is_deleted_after_it_was_claimed_stays_home(play: Played, statement: str) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=60)})
        post_id = world.add(due_in=timedelta(seconds=40))
        world.add("Another", due_in=timedelta(seconds=43))
        cancel = update(posts).where(posts.c.id == post_id)
        work = {
            "cancel": cancel.values(status="cancelled", claimed_by=None, claimed_until=None),
            "delete": delete(posts).where(posts.c.id == post_id),
        }[statement]
        with world.time.standing():
            world.start(settings)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            world.database.write_now(lambda rows: rows.execute(work))
        await world.until_done()

        assert world.platforms[ConnectionPlatform.X].ledger == [("person-0", "Another")]

    play(scene, listing())


@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.LOST_AFTER])
def test_truth_wins_over_a_soft_delete_during_publishing(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add()

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        there.fates = [fate]
        world.start()
        await world.until(lambda: world.post(post_id).status == PostStatus.POSTED)

        assert len(there.ledger) == 1
        assert len(world.contents()) == 1

    play(scene, listing())


@pytest.mark.parametrize("fate", [Fate.BUSY, Fate.REFUSED, Fate.LOST_BEFORE])
def test_a_soft_delete_during_publishing_stops_further_attempts(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add()

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        there.fates = [fate]
        world.start()
        await world.until(lambda: there.calls == 1)
        await world.until_done()
        await world.time.sleep(SETTINGS.retry_longest)

        assert world.post(post_id).status == PostStatus.CANCELLED
        assert there.calls == 1
        assert there.ledger == []

    play(scene, listing())


def test_a_hard_delete_during_publishing_leaves_the_content_record(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id = world.add("Gone but live")

        async def remove() -> None:
            await world.database.write(lambda rows: rows.execute(delete(posts)))

        there.during = remove
        world.start()
        await world.until(lambda: len(world.contents()) == 1)

        (content,) = world.contents()
        assert (content.post_id, content.description) == (post_id, "Gone but live")

    play(scene, listing())


def test_a_lost_answer_about_a_post_whose_text_is_gone_is_not_looked_for(play: Played) -> None:
    """An earlier version left nothing of posts that were deleted for good: the attempt ends and says so."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.LOST_AFTER]
        post_id = world.add()

        async def remove() -> None:
            await world.database.write(lambda rows: rows.execute(delete(posts)))

        there.during = remove
        world.start(SETTINGS.model_copy(update={"lease": timedelta(seconds=15)}))
        await world.until(lambda: there.calls == 1)
        await world.until_done()

        (attempt,) = world.attempts(post_id)
        assert attempt.outcome == "unknown"
        assert attempt.advice.startswith("The post was deleted")
        assert there.calls == 1

    play(scene, listing())


def test_an_account_is_not_deleted_during_a_call_for_a_deleted_post(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        post_id, (connection_id, *_) = world.add(), world.connections[ConnectionPlatform.X]
        refused = asyncio.Event()

        async def delete_both() -> None:
            await world.database.write(lambda rows: remove(rows, world.account_id, post_id))
            with pytest.raises(CommandProblem, match="is being published"):
                await asyncio.to_thread(delete_connection, world.database, connection_id, world.time.now())
            refused.set()

        there.during = delete_both
        world.start()
        await world.until(refused.is_set)
        await world.until(lambda: len(world.contents()) == 1)

    play(scene, listing())


@pytest.mark.logs_error("an outcome could not be written")
def test_an_outcome_whose_account_is_gone_is_written_only_once(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        world.add()
        connection_id = world.connections[ConnectionPlatform.X][0]

        async def delete_the_account() -> None:
            def erase(rows: Connection) -> None:
                for table in (posts, connections):
                    column = table.c.id if table is connections else table.c.connection_id
                    rows.execute(delete(table).where(column == connection_id))

            await world.database.write(erase)

        there.during = delete_the_account
        with structlog.testing.capture_logs() as logs:
            world.start()
            await world.until(lambda: any("could not be written" in one["event"] for one in logs))
            await world.time.sleep(timedelta(seconds=30))
        assert len([one for one in logs if "could not be written" in one["event"]]) == 1

    play(scene, listing())
