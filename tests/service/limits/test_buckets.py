"""The bucket against a plain model: what is let through in any minute, and what waiting is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.limits import WINDOW_S, TokenBuckets

steps = st.lists(st.floats(0, 30, allow_nan=False), max_size=120)
sizes = st.integers(1, 50)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time


@given(sizes, steps)
def test_no_more_than_a_full_bucket_and_what_flows_in_is_ever_let_through(
    size: int, pauses: list[float]
) -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    taken: list[float] = []
    for pause in pauses:
        clock.time += pause
        left = buckets.level("name", size).tokens
        wait = buckets.take("name", size)
        assert (wait == 0) == (left > 0)
        if wait == 0:
            taken.append(clock.time)
    for index, began in enumerate(taken):
        for count, ended in enumerate(taken[index:], 1):
            assert count <= size + (ended - began) * size / WINDOW_S + 1e-6


@given(sizes, steps)
def test_waiting_as_long_as_told_is_enough_and_a_little_less_is_not(size: int, pauses: list[float]) -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    for pause in [*pauses, *[0.0] * size]:
        clock.time += pause
        buckets.take("name", size)
    wait = buckets.take("name", size)
    assert 0 < wait <= WINDOW_S / size + 1e-6
    clock.time += wait * 0.9
    assert buckets.take("name", size) > 0
    clock.time += wait * 0.1 + 1e-6
    assert buckets.take("name", size) == 0


def test_the_level_is_whole_calls_and_the_seconds_until_all_are_back() -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    levels = [buckets.level("name", 4)]
    for _ in range(4):
        assert buckets.take("name", 4) == 0
        levels.append(buckets.level("name", 4))
    assert [level.tokens for level in levels] == [4, 3, 2, 1, 0]
    assert [level.full_in for level in levels] == pytest.approx([0, 15, 30, 45, 60])
    tokens = []
    for seconds in (14.9, 0.2, 14.8, 0.2, 29.8, 0.2, 600):
        clock.time += seconds
        tokens.append(buckets.level("name", 4).tokens)
    assert tokens == [0, 1, 1, 2, 3, 4, 4]
    assert buckets.level("name", 4).full_in == 0


def test_buckets_do_not_share() -> None:
    buckets = TokenBuckets(Hand())
    assert [buckets.take("a", 1), buckets.take("b", 1)] == [0, 0]
    assert buckets.take("a", 1) == pytest.approx(WINDOW_S)


def test_a_bucket_that_is_full_again_takes_no_room() -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    for name in range(100_000):
        clock.time += 0.1
        buckets.take(name, 10)
    assert len(buckets) < 2_100  # 60 are not full; swept when there are 1,024
