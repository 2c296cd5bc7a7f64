"""The program dies at any step, any number of times: never twice, and never missing without a word."""

import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.contract.enums import ConnectionPlatform, PostStatus
from tests.service.publishing import own_time
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import FakePlatform, FastTime, Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, Step, World

KINDS = {"listing": listing, "refusing": refusing}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [Step.BEFORE, Step.AFTER])
@pytest.mark.parametrize("write", range(1, 7))
def test_death_at_any_write_publishes_exactly_once(play: Played, kind: str, step: Step, write: int) -> None:
    """The writes of a plain publication: recovery (two), claim, begin, outcome, and an idle claim."""

    async def scene(world: World) -> None:
        world.database.deaths = [(write, step)]
        post_id = world.add()
        await world.live_through()

        (there,) = world.platforms.values()
        assert there.ledger == [("person-0", "Hello")]
        assert world.post(post_id).status == PostStatus.POSTED
        assert len(world.contents()) == 1

    play(scene, KINDS[kind]())


@pytest.mark.logs_error("trying again")
@pytest.mark.logs_error("a post could not be processed")
@pytest.mark.parametrize("write", range(1, 7))
def test_a_full_disk_for_a_moment_loses_nothing(play: Played, write: int) -> None:
    async def scene(world: World) -> None:
        world.database.deaths = [(write, Step.FULL)]
        post_id = world.add()
        world.start(SETTINGS.model_copy(update={"lease": timedelta(seconds=15)}))
        await world.until_done()

        assert world.platforms[ConnectionPlatform.X].ledger == [("person-0", "Hello")]
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, listing())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fate", [Fate.KILLED_BEFORE, Fate.KILLED_AFTER])
@pytest.mark.parametrize("exclusive", [True, False])
def test_death_during_the_call_publishes_exactly_once(
    play: Played, kind: str, fate: Fate, *, exclusive: bool
) -> None:
    """An engine that is not alone waits until the dead one's lease has ended."""

    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [fate, fate]
        post_id = world.add()
        brief = SETTINGS.model_copy(update={"lease": timedelta(seconds=15)})
        await world.live_through(brief, exclusive=exclusive)

        assert there.ledger == [("person-0", "Hello")]
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, KINDS[kind]())


def test_a_claimed_post_of_a_dead_owner_is_free_at_once(play: Played) -> None:
    async def scene(world: World) -> None:
        settings = SETTINGS.model_copy(
            update={"claim_ahead": timedelta(minutes=1), "lease": timedelta(hours=1)}
        )
        post_id = world.add(due_in=timedelta(seconds=20))
        with world.time.standing():
            world.start(settings)
            await world.until(lambda: world.post(post_id).claimed_by is not None)
            assert world.attempts(post_id) == []
            await world.crash()
        world.start(settings)
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(world.attempts(post_id)) == 1

    play(scene, listing())


def test_a_call_that_died_long_ago_is_looked_for_before_anything_is_sent(play: Played) -> None:
    """The computer was off for hours after the answer was lost: the item is found, whatever its age."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.fates = [Fate.KILLED_AFTER]
        post_id = world.add()
        world.start()
        await world.until(world.database.killed.is_set)
        await world.crash()
        world.time.offset += timedelta(hours=9)
        there.look_failures = 2
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


def test_a_repeat_is_not_tried_hours_later(play: Played) -> None:
    """By then the platform would take the copy."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.LINKEDIN]
        there.fates = [Fate.KILLED_AFTER]
        post_id = world.add()
        world.start()
        await world.until(world.database.killed.is_set)
        await world.crash()
        world.time.offset += timedelta(hours=9)
        world.start()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.FAILED
        assert "whether the post is live" in world.attempts(post_id)[-1].advice
        assert len(there.ledger) == 1

    play(scene, refusing())


async def call_and_die(world: World) -> UUID:
    """A post whose publishing call arrives while the program dies."""
    world.platforms[ConnectionPlatform.X].fates = [Fate.KILLED_AFTER]
    post_id = world.add()
    world.start()
    await world.until(world.database.killed.is_set)
    await world.crash()
    return post_id


def test_two_starts_that_each_found_nothing_prove_nothing_together(play: Played) -> None:
    """The list lags, and the clock is set while no program runs: nobody measured the time between."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.refuses_for = timedelta()
        post_id = await call_and_die(world)
        there.hides = 4
        world.start()
        await world.until(lambda: there.look_count > 0 and world.post(post_id).claimed_by is None)
        await world.crash()
        world.time.offset += timedelta(seconds=30)
        await world.live_through()

        assert world.post(post_id).status == PostStatus.POSTED
        assert len(there.ledger) == 1

    play(scene, listing())


def test_a_call_noted_by_a_clock_that_was_ahead_is_not_repeated(play: Played) -> None:
    """By the time that was noted the item on the platform is too old to be this post."""

    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        there.refuses_for = timedelta()
        there.time, there.ours = FastTime(), world.time
        world.time.offset = timedelta(hours=1)
        post_id = await call_and_die(world)
        world.time.offset = there.time.offset = timedelta(hours=2)
        await world.live_through()

        assert world.post(post_id).status == PostStatus.FAILED
        assert "whether the post is live" in world.attempts(post_id)[-1].advice
        assert len(there.ledger) == 1

    play(scene, listing())


FATES = st.lists(st.sampled_from([fate for fate in Fate if fate is not Fate.GARBLED]), max_size=8)
DEATHS = st.lists(st.tuples(st.integers(1, 8), st.sampled_from([Step.BEFORE, Step.AFTER])), max_size=3)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    fates=FATES,
    deaths=DEATHS,
    count=st.integers(1, 4),
    kind=st.sampled_from(sorted(KINDS)),
    look_failures=st.integers(0, 3),
    exclusive=st.booleans(),
)
def test_never_twice_and_never_missing_without_a_word(
    fates: list[Fate],
    deaths: list[tuple[int, Step]],
    count: int,
    kind: str,
    look_failures: int,
    *,
    exclusive: bool,
) -> None:
    platform = KINDS[kind]()
    if kind == "listing":
        platform.refuses_for = timedelta()  # the look alone must do
    platform.fates = list(fates)
    platform.look_failures = look_failures

    async def scene(folder: Path) -> None:
        world = World(folder, [platform])
        try:
            world.database.deaths = list(deaths)
            ids = {f"Post {number}": world.add(f"Post {number}") for number in range(count)}
            brief = SETTINGS.model_copy(update={"lease": timedelta(seconds=15)})
            await world.live_through(brief, exclusive=exclusive)
            for text, post_id in ids.items():
                check(world, platform, text, world.post(post_id).status, [*world.attempts(post_id)])
        finally:
            await world.close()

    with tempfile.TemporaryDirectory() as folder:
        own_time.run(scene(Path(folder)))


def check(world: World, platform: FakePlatform, text: str, status: str, tried: list) -> None:  # type: ignore[type-arg]
    live = Counter(entry[1] for entry in platform.ledger)[text]
    recorded = [content for content in world.contents() if content.description == text]
    assert live <= 1
    if status == PostStatus.POSTED:
        assert live == 1
        assert len(recorded) == 1
    else:
        assert status == PostStatus.FAILED
        assert recorded == []
        assert all(row.advice for row in tried)
        if live:
            assert any("whether the post is live" in row.advice for row in tried)
