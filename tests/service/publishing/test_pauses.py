"""Posts of paused accounts stay where they are, and go on after the pause."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.monitoring.backlog import read_backlog
from app.service.publishing.claims import look
from app.service.publishing.pauses import pause_account, pause_connection, pause_queue, read_paused
from app.service.store.tables import accounts
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import listing
from tests.service.publishing.test_claims import request_of
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH
X = ConnectionPlatform.X
Pause = Callable[[World, Connection, datetime | None], None]


def _connection(world: World, rows: Connection, at: datetime | None) -> None:
    pause_connection(rows, world.connections[X][0], at)


def _account(world: World, rows: Connection, at: datetime | None) -> None:
    pause_account(rows, world.account_id, at)


def _queue(_world: World, rows: Connection, at: datetime | None) -> None:
    pause_queue(rows, at)


@pytest.mark.parametrize("pause", [_connection, _account, _queue])
def test_a_paused_post_waits_and_is_published_after_the_pause(play: Played, pause: Pause) -> None:
    async def scene(world: World) -> None:
        world.database.write_now(lambda rows: pause(world, rows, world.time.now()))
        paused = world.add("Paused")
        later = world.add("Later", due_in=timedelta(minutes=2))
        world.start()
        await world.time.sleep(timedelta(minutes=1))

        assert world.platforms[X].ledger == []
        assert world.attempts(paused) == []
        backlog = world.database.read_now(lambda rows: read_backlog(rows, world.time.now()))
        assert [(one.state, one.count) for one in backlog.posts] == [("waiting", 1)]
        assert backlog.lag_seconds == 0
        world.database.write_now(lambda rows: pause(world, rows, None))
        await world.until_done()
        assert [text for _, text in world.platforms[X].ledger] == ["Paused", "Later"]
        assert world.post(later).posted_at >= world.post(later).scheduled_at

    play(scene, listing())


def test_other_accounts_go_on(play: Played) -> None:
    async def scene(world: World) -> None:
        world.database.write_now(lambda rows: _connection(world, rows, world.time.now()))
        paused = world.add("Paused")
        other = world.add("Other", connection=1)
        world.start()
        await world.until(lambda: world.post(other).status == PostStatus.POSTED)

        assert world.platforms[X].ledger == [("person-1", "Other")]
        assert world.post(paused).status in {PostStatus.SCHEDULED, PostStatus.QUEUED}

    play(scene, listing(), connections_each=2)


@pytest.mark.parametrize("pause", [_connection, _account, _queue])
def test_a_post_that_was_claimed_before_the_pause_stays_home(play: Played, pause: Pause) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(update={"claim_ahead": timedelta(seconds=60)})
        post_id = world.add(due_in=timedelta(seconds=40))
        with world.time.standing():
            world.start(settings)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            world.database.write_now(lambda rows: pause(world, rows, world.time.now()))
        await world.time.sleep(timedelta(minutes=2))

        assert world.platforms[X].ledger == []
        assert world.attempts(post_id) == []

    play(scene, listing())


def test_a_pause_of_the_queue_can_be_repeated(play: Played) -> None:
    async def scene(world: World) -> None:
        for at in (world.time.now(), world.time.now(), None, None):
            world.database.write_now(partial(_queue, world, at=at))
            assert world.database.read_now(read_paused).everything is (at is not None)

    play(scene, listing())


def _moved(_world: World, rows: Connection, at: datetime | None) -> None:
    rows.execute(update(accounts).values(moved_at=at))


@pytest.mark.parametrize("pause", [_connection, _account, _queue, _moved])
def test_looking_for_due_posts_tells_whether_something_is_paused(play: Played, pause: Pause) -> None:
    """Only then the pauses themselves are read."""

    async def scene(world: World) -> None:
        request = request_of(world)

        def has_pauses() -> bool:
            return world.database.read_now(lambda rows: look(rows, request)).has_pauses

        assert has_pauses() is False
        world.database.write_now(lambda rows: pause(world, rows, world.time.now()))
        assert has_pauses() is True
        world.database.write_now(lambda rows: pause(world, rows, None))
        assert has_pauses() is False

    play(scene, listing())
