"""Older rows put back, without a word about it: nothing is published twice, and nothing is silently left out.

The programs, with real copies of files and databases, are stormed by ``tests.benchmarks restorestorm``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from sqlalchemy import Connection, Table, delete, insert, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.service.publishing.settings import PublishingSettings
from app.service.restoring import look_into_past
from app.service.store.folder import DataFolder
from app.service.store.journal import open_journal
from app.service.store.tables import attempts, contents, events, marks, posts, publication_steps
from tests.service.publishing import own_time
from tests.service.publishing.fakes import FakePlatform, UploadingPlatform
from tests.service.publishing.world import SETTINGS, World
from tests.stores import ON_BOTH

pytestmark = ON_BOTH

_COPIED: Final[Sequence[Table]] = (marks, posts, attempts, contents, events, publication_steps)
_POSTS: Final = 24
Rows = Mapping[Table, Sequence[Mapping[str, Any]]]


class Installation(World):
    """A world whose rows can be copied and put back, as a service finds them when it starts."""

    def open(self) -> PublishingSettings:
        """What a service does before it publishes."""
        past = look_into_past(DataFolder(self.folder), self.database, self.time.now(), alone=True)
        self.journal = past.journal
        return SETTINGS.model_copy(update={"restored_at": past.restored_at})

    def copy(self) -> Rows:
        def work(rows: Connection) -> Rows:
            return {table: [dict(row) for row in rows.execute(select(table)).mappings()] for table in _COPIED}

        return self.database.read_now(work)

    def put_back(self, copy: Rows) -> None:
        def work(rows: Connection) -> None:
            for table in reversed(_COPIED):
                rows.execute(delete(table))
            for table in _COPIED:
                if copy[table]:
                    rows.execute(insert(table), [dict(row) for row in copy[table]])

        self.database.write_now(work)


def platforms(random: Random) -> list[FakePlatform]:
    """They show what they have, or don't, or refuse copies for a while, or ask for a noted upload."""
    day = timedelta(days=1)
    return [
        FakePlatform(ConnectionPlatform.X, hides=random.randrange(2)),
        FakePlatform(ConnectionPlatform.LINKEDIN, looks=False),
        FakePlatform(ConnectionPlatform.FACEBOOK, looks=False, repeat_window=day, refuses_for=day),
        UploadingPlatform(ConnectionPlatform.TIKTOK),
    ]


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.variation) for seed in range(2, 6))]
)
def test_older_rows_publish_nothing_twice(tmp_path: Path, seed: int) -> None:
    own_time.run(_storm(tmp_path, Random(seed)))  # noqa: S311  chance is all that is asked of it


async def _storm(folder: Path, random: Random) -> None:
    world = Installation(folder, platforms(random))
    try:
        texts = {f"Post {number}": random.choice(list(world.platforms)) for number in range(_POSTS)}
        ids = {
            text: _add(world, text, platform, timedelta(seconds=random.uniform(0, 40)))
            for text, platform in texts.items()
        }
        later = {
            f"Later {number}": _add(world, f"Later {number}", platform, timedelta(hours=1))
            for number, platform in enumerate(world.platforms)
        }
        world.start(world.open())
        await world.until(lambda: len(_live(world)) >= random.randint(0, _POSTS // 2))
        await world.crash()
        copy = world.copy()
        world.start(world.open())
        # Published soon, although the copy plans them for later.
        soon = update(posts).where(posts.c.id.in_(later.values())).values(scheduled_at=world.time.now())
        await world.database.write(lambda rows: rows.execute(soon))
        await world.until(lambda: _live(world).keys() >= later.keys() and len(_live(world)) >= _POSTS - 4)
        await world.crash()
        world.put_back(copy)
        settings = world.open()
        assert settings.restored_at is not None
        world.start(settings)
        world.time.offset += timedelta(hours=2)  # those planned for later fall due, too
        await world.until_done()
        _judge(world, ids | later)
    finally:
        await world.close()


def _add(world: World, text: str, platform: ConnectionPlatform, due_in: timedelta) -> UUID:
    picture = b"picture" if platform is ConnectionPlatform.TIKTOK else b""
    return world.add(text, due_in=due_in, platform=platform, picture=picture)


def _live(world: World) -> Counter[str]:
    return Counter(text for platform in world.platforms.values() for _, text in platform.ledger)


def _judge(world: World, ids: Mapping[str, Any]) -> None:
    live = _live(world)
    for text, post_id in ids.items():
        status = PostStatus(world.post(post_id).status)
        assert live[text] <= 1, f"{text} was published {live[text]} times"
        assert live[text] or status is PostStatus.FAILED, f"{text} is {status} and nowhere"


def test_a_call_is_in_the_journal_before_it_begins(tmp_path: Path) -> None:
    noted: list[int] = []

    async def story() -> None:
        platform = FakePlatform(ConnectionPlatform.X)

        async def note() -> None:
            sent = {one.attempt_id for one in open_journal(tmp_path).read(world.time.now()).all()}
            assert sent == {row.id for row in world.attempts(post)}
            noted.append(len(sent))

        platform.during = note
        world = Installation(tmp_path, [platform])
        try:
            settings = world.open()
            post = world.add("Hello")
            world.start(settings)
            await world.until_done()
        finally:
            await world.close()

    own_time.run(story())
    assert noted == [1]
