"""Holds on preparations: each post is held by one, also when many ask at the same moment."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus
from app.database import Database
from app.service.publishing import holds
from app.service.publishing.holds import Wish
from app.service.store.tables import posts
from tests.service.publishing.fakes import listing
from tests.service.publishing.world import World
from tests.stores import STORES, service_engine

LEASE = timedelta(minutes=1)


@pytest.fixture(params=STORES)
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    world = World(tmp_path, [listing()], 6, store=request.param)
    yield world
    world.database.close()


def wish(owner: UUID, now: datetime, limit: int = 100) -> Wish:
    return Wish(
        owner=owner,
        now=now,
        lease=LEASE,
        limit=limit,
        earliest={PostingPlatform.X: timedelta(hours=1)},
        lead=timedelta(minutes=30),
        rate=1024,
        not_after=now,
        busy=(),
    )


def test_many_who_ask_at_once_share_the_posts(world: World, tmp_path: Path) -> None:
    ids = {world.add(picture=b"x", due_in=timedelta(minutes=9), connection=number) for number in range(6)}
    now = world.time.now()
    stores = [Database(service_engine(tmp_path, world.store), "the store") for _ in range(4)]

    def take(database: Database) -> list[UUID]:
        asked = wish(uuid4(), now)
        seen = database.read_now(lambda rows: holds.waiting(rows, asked))
        return [post.id for post in database.write_now(lambda rows: holds.hold(rows, asked, seen))]

    with ThreadPoolExecutor(len(stores)) as pool:
        taken = [post_id for held in pool.map(take, stores) for post_id in held]
    for store in stores:
        store.close()
    assert sorted(taken) == sorted(ids)


def test_a_hold_is_taken_when_its_lease_is_over_or_impossible(world: World) -> None:
    post_id, now = world.add(picture=b"x", due_in=timedelta(minutes=9)), world.time.now()
    preparer, publisher = uuid4(), uuid4()

    def taken(at: datetime) -> bool:
        return world.database.write_now(lambda rows: holds.take(rows, post_id, publisher, at, LEASE))

    def held(at: datetime) -> int:
        asked = wish(preparer, at)
        return len(world.database.write_now(lambda rows: holds.hold(rows, asked, [post_id])))

    assert held(now) == 1
    assert not taken(now)
    assert not taken(now - LEASE / 2)
    assert taken(now + LEASE)
    assert held(now) == 1
    assert taken(now - timedelta(hours=3))  # the clock went back, and nobody holds for so long
    assert not world.database.write_now(lambda rows: holds.is_held(rows, post_id, preparer))
    assert world.database.write_now(lambda rows: holds.is_held(rows, post_id, publisher))


def test_platforms_that_are_not_there_are_left_alone(world: World) -> None:
    world.add(picture=b"x", due_in=timedelta(minutes=9), platform=ConnectionPlatform.X)
    now = world.time.now()
    nowhere = Wish(uuid4(), now, LEASE, 10, {}, timedelta(minutes=30), 1024, now, ())
    assert world.database.read_now(lambda rows: holds.waiting(rows, nowhere)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": PostStatus.QUEUED.value},
        {"media_storage_path": ""},
        {"scheduled_at": timedelta()},
        {"claimed_by": uuid4()},
        {"by_hand": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_posts_of_the_publisher_and_of_the_user_are_left_to_them(
    world: World, change: dict[str, Any]
) -> None:
    """Also if they became theirs after they were found."""
    post_id, now = world.add(picture=b"x", due_in=timedelta(minutes=9)), world.time.now()
    asked = wish(uuid4(), now)
    if "scheduled_at" in change:
        change = {"scheduled_at": asked.not_after}
    world.database.write_now(lambda rows: rows.execute(posts.update().values(change)))
    assert world.database.read_now(lambda rows: holds.waiting(rows, asked)) == []
    assert world.database.write_now(lambda rows: holds.hold(rows, asked, [post_id])) == []
