"""Accounts rest when their platform says so, and nobody waits for those who missed much."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus
from app.platforms.base import FailureKind, PlatformError
from app.platforms.card import Pace
from app.platforms.registry import build_adapters
from app.service.publishing import pacing as pacing_rules
from app.service.publishing.pacing import Pacing
from tests.platforms.httpx_wire import HttpxWire
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import listing
from tests.service.publishing.world import SETTINGS, World

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
X = PostingPlatform.X


def seconds(number: float) -> datetime:
    return NOON + timedelta(seconds=number)


def test_an_account_is_called_no_faster_than_its_platform_allows() -> None:
    pacing, account, other = Pacing({X: Pace(2, timedelta(seconds=10))}), uuid4(), uuid4()

    assert pacing.take(account, X, seconds(0)) is None
    assert pacing.take(account, X, seconds(4)) is None
    assert pacing.take(account, X, seconds(5)) == seconds(10)
    assert pacing.take(other, X, seconds(5)) is None
    assert pacing.take(account, PostingPlatform.FACEBOOK, seconds(10)) is None
    assert pacing.take(account, X, seconds(11)) is None
    assert pacing.take(account, X, seconds(12)) == seconds(14)


def test_a_call_that_was_not_made_does_not_count() -> None:
    pacing, account = Pacing({X: Pace(1, timedelta(seconds=10))}), uuid4()
    assert pacing.take(account, X, seconds(0)) is None
    pacing.give_back(account, seconds(0))
    pacing.give_back(uuid4(), seconds(0))
    assert pacing.take(account, X, seconds(1)) is None
    pacing.give_back(account, seconds(0))
    assert pacing.take(account, X, seconds(2)) == seconds(11)


def test_a_call_that_was_not_made_keeps_no_other_waiting() -> None:
    pacing, account, slow = Pacing({X: Pace(1, timedelta(seconds=10))}), uuid4(), uuid4()
    pacing.hold(slow, seconds(0), seconds(60))
    for one in (slow, account):
        pacing.take(one, X, seconds(0))
        pacing.take(one, X, seconds(1))
        pacing.give_back(one, seconds(0))
    assert pacing.held(seconds(2)) == {slow: seconds(60)}
    assert pacing.take(account, X, seconds(2)) is None


def test_a_very_long_rest_ends_early_so_that_posts_are_looked_at() -> None:
    pacing, told, full = Pacing({X: Pace(1, timedelta(days=1))}), uuid4(), uuid4()
    in_two_hours = seconds(2 * 3_600)
    pacing.hold(told, NOON, NOON + timedelta(days=115))
    assert pacing.take(told, X, seconds(1)) == in_two_hours
    assert pacing.take(told, X, in_two_hours) is None
    assert pacing.take(full, X, NOON) is None
    assert pacing.take(full, X, NOON) == in_two_hours
    assert pacing.take(full, X, in_two_hours) == in_two_hours + timedelta(hours=2)


def test_posts_of_an_account_with_an_endless_rest_fail_and_say_so(
    play: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing_rules, "_HELD_MAX", timedelta(seconds=100))

    async def scene(world: World) -> None:
        there = next(iter(world.platforms.values()))

        async def refuse_for_months() -> None:
            raise PlatformError(FailureKind.RATE_LIMITED, "429", "slow down", retry_after=9_999_999)

        there.during = refuse_for_months
        first, second = world.add("first"), world.add("second", due_in=timedelta(seconds=30))
        world.start(SETTINGS.model_copy(update={"grace": timedelta(seconds=60)}))
        await world.until(lambda: world.post(first).status == PostStatus.FAILED)
        await world.until(lambda: world.post(second).status == PostStatus.FAILED)

    play(scene, listing())


def test_a_rest_is_kept_to_its_end_and_forgotten_when_the_clock_is_set_back() -> None:
    pacing, account = Pacing({X: Pace(1, timedelta(seconds=10))}), uuid4()
    pacing.hold(account, seconds(0), seconds(60))
    pacing.hold(account, seconds(1), seconds(30))

    assert pacing.take(account, X, seconds(59)) == seconds(60)
    assert pacing.held(seconds(60)) == {}
    assert pacing.take(account, X, seconds(60)) is None
    assert pacing.take(account, X, seconds(-3_600)) is None
    pacing.hold(account, seconds(60), seconds(90))
    assert pacing.held(seconds(-3_600)) == {}


def test_who_is_told_to_slow_down_tells_the_account_s_other_posts(play: Played) -> None:
    """The transport is the seam: X answers 429 until its window is over."""
    calls: list[tuple[str, datetime]] = []

    async def scene(world: World) -> None:
        opens = world.time.now() + timedelta(seconds=40)

        def answer(request: httpx.Request) -> httpx.Response:
            text, now = json.loads(request.content)["text"], world.time.now()
            calls.append((text, now))
            if text.startswith("Mine") and now < opens:
                reset = str(int(opens.timestamp()) + 1)
                return httpx.Response(429, headers={"x-rate-limit-reset": reset}, json={"title": "Slow down"})
            return httpx.Response(201, json={"data": {"id": str(len(calls)), "text": text}})

        transport = httpx.MockTransport(answer)
        async with build_adapters(wire=HttpxWire(transport), clock=world.time.now) as adapters:
            world.adapters = adapters
            ids = [world.add(f"Mine {n}", due_in=timedelta(seconds=1 + n)) for n in range(8)]
            other = world.add("Other", due_in=timedelta(seconds=9), connection=1)
            world.start()
            await world.until_done()
            assert {world.post(post_id).status for post_id in [*ids, other]} == {PostStatus.POSTED}

        before = [text for text, now in calls if now < opens]
        assert before.count("Other") == 1
        assert 1 <= len(before) - 1 <= SETTINGS.calls_per_connection
        assert len(calls) == len(ids) + len(before)

    play(scene, listing(), connections_each=2)


def test_what_one_account_missed_holds_up_nobody_and_not_even_itself(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]

        async def take_a_while() -> None:
            await world.time.sleep(timedelta(milliseconds=200))

        there.during = take_a_while
        for number in range(90):
            world.add(f"Missed {number}", due_in=-timedelta(minutes=10))
        for number in range(6):
            world.add(f"New {number}", connection=number % 2, due_in=timedelta(seconds=1))
        world.start()
        await world.until_done()

        order = [text for _, text in there.ledger]
        last = max(place for place, text in enumerate(order) if text.startswith("New"))
        assert len(order) == 96
        assert last < 60
        assert there.most_at_once <= 2 * SETTINGS.calls_per_connection

    play(scene, listing(), connections_each=2)


def test_no_post_of_many_goes_out_before_its_time(play: Played) -> None:
    async def scene(world: World) -> None:
        there = world.platforms[ConnectionPlatform.X]
        for number in range(120):
            world.add(str(number), due_in=timedelta(milliseconds=500 + number * 50), connection=number % 4)
        world.start()
        await world.until_done()

        due = {
            world.post(one.post_id).description: world.post(one.post_id).scheduled_at
            for one in world.contents()
        }
        sent = zip(there.ledger, there.accepted_at, strict=True)
        assert all(at >= due[text] for (_, text), at in sent)
        assert len(there.ledger) == 120

    play(scene, listing(), connections_each=4)
