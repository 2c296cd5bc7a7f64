"""Two processes refresh a rotating token at once: in whatever order, both end with one that works."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.platforms.base import PlatformError
from app.service.connections.tokens import Patience
from tests.service.connections.interleaving import Pair, run
from tests.stores import STORES

STEPS = 6
"""Of a refresh: read, claim, the request arrives, the answer comes back, store; and one to spare."""
BOTH_STORES = pytest.mark.parametrize("store", STORES)
SOON_OVER = Patience(claim=timedelta(seconds=0.2), look_again=timedelta(milliseconds=5))


async def _agree(pair: Pair) -> None:
    """Everybody has the token that works, it was asked for once, and the row has its successor."""
    platform = pair.platform
    assert platform.uses == ["refresh-0"]
    assert not platform.is_revoked
    for process in pair.processes:
        assert process.result == platform.access_token
    assert pair.stored == (platform.access_token, platform.refresh_token)
    assert pair.row.is_available
    assert pair.row.renewing_until is None
    assert pair.told == []


def test_any_order_of_steps_ends_with_a_token_that_works(tmp_path: Path) -> None:
    @settings(max_examples=40)
    @given(turns=st.lists(st.integers(0, 1), max_size=4 * STEPS))
    @example(turns=[0, 1] * STEPS)
    @example(turns=[0, 0, 1, 1, 0, 0, 1, 1])
    @example(turns=[0, 0, 0, *[1] * STEPS])
    def play(turns: list[int]) -> None:
        async def scene(pair: Pair) -> None:
            await pair.play(turns)
            await _agree(pair)

        run(Pair(tmp_path), scene)

    play()


@BOTH_STORES
@pytest.mark.parametrize("first", range(STEPS))
@pytest.mark.parametrize("second", range(0, STEPS, 2))
def test_two_changes_of_turn_wherever_they_come(tmp_path: Path, store: str, first: int, second: int) -> None:
    async def scene(pair: Pair) -> None:
        await pair.play([*[0] * first, *[1] * second])
        await _agree(pair)

    run(Pair(tmp_path, store), scene)


@BOTH_STORES
@pytest.mark.parametrize("hours", [-30, 5])
def test_a_clock_that_jumps_during_the_renewal_brings_no_second_one(
    tmp_path: Path, store: str, hours: int
) -> None:
    """By the clock on the wall the claim of the first process is over, or never will be."""

    async def scene(pair: Pair) -> None:
        first, second = pair.processes
        first.ask(pair.connection)
        for _ in range(3):
            await first.step()
        pair.clock_ahead = timedelta(hours=hours)
        second.ask(pair.connection)
        for _ in range(8):
            await second.step()
        assert pair.platform.uses == ["refresh-0"]
        while not (first.is_done and second.is_done):
            await first.step()
            await second.step()
        await _agree(pair)

    run(Pair(tmp_path, store), scene)


@BOTH_STORES
@pytest.mark.parametrize("steps", range(STEPS))
def test_a_process_that_dies_leaves_what_can_be_left(tmp_path: Path, store: str, steps: int) -> None:
    """Only between the platform's change and our write is a token lost; that is told once."""

    async def scene(pair: Pair) -> None:
        first, second = pair.processes
        first.ask(pair.connection)
        for _ in range(steps):
            await first.step()
        await first.die()
        pair.clock_ahead = timedelta(hours=-30)  # however the claim looks then
        is_lost = pair.platform.generation == 1 and pair.stored[0] == "access-0"
        second.ask(pair.connection)
        while not second.is_done:
            await second.step()
        if is_lost:
            assert isinstance(second.result, PlatformError)
            assert not pair.row.is_available
            assert pair.told == ["connection.expired"]
        else:
            assert second.result == pair.platform.access_token == pair.stored[0]
            assert pair.row.is_available
            assert pair.told == []

    run(Pair(tmp_path, store, SOON_OVER), scene)


def test_who_comes_second_after_all_takes_the_first_ones_token(tmp_path: Path) -> None:
    """A process stood still before its request left, and another one renewed in its place."""

    async def scene(pair: Pair) -> None:
        first, second = pair.processes
        first.ask(pair.connection)
        for _ in range(2):
            await first.step()
        second.ask(pair.connection)
        while not second.is_done:
            await second.step()
        assert second.result == "access-1"
        while not first.is_done:
            await first.step()

        assert pair.platform.uses == ["refresh-0", "refresh-0"]
        assert first.result == "access-1"
        assert pair.row.is_available
        assert pair.told == []

    run(Pair(tmp_path, patience=SOON_OVER), scene)
