"""The daily quotas: never exceeded, and reset when the platform says."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.practice.quotas import Quota, Quotas, UsedUpError
from app.practice.settings import Settings
from app.practice.store import Store
from tests.practice.conftest import Clock, running
from tests.practice.programs import LinkedInProgram, XProgram

CALIFORNIA = ZoneInfo("America/Los_Angeles")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()
ROLLING = Quota("rolling", 5, window_s=900)
DAILY = Quota("daily", 5, midnight=CALIFORNIA.key)


class Hand:
    """A clock that's set by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@contextmanager
def opened(folder: Path, clock: Hand, *, on: bool = True) -> Iterator[Quotas]:
    with closing(Store(folder)) as store:
        yield Quotas(store, Settings(folder, quotas=on, clock=clock))


def spend(quotas: Quotas, quota: Quota, holder: str = "somebody") -> bool:
    try:
        quotas.check(quota, holder)
    except UsedUpError:
        return False
    quotas.count(quota, holder)
    return True


@given(st.lists(st.integers(0, 400), max_size=40))
def test_no_window_ever_holds_more_than_the_limit(pauses: list[int]) -> None:
    clock, taken = Hand(), list[float]()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), clock) as quotas:
        for pause in pauses:
            clock.now += pause
            if spend(quotas, ROLLING):
                taken.append(clock.now)
    for first, sixth in zip(taken, taken[ROLLING.limit :], strict=False):
        assert sixth - first >= ROLLING.window_s


@given(st.lists(st.integers(0, 40_000), max_size=40))
def test_a_day_of_the_platform_never_holds_more_than_the_limit(pauses: list[int]) -> None:
    clock, days = Hand(), dict[object, int]()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), clock) as quotas:
        for pause in pauses:
            clock.now += pause
            day = datetime.fromtimestamp(clock.now, CALIFORNIA).date()
            if spend(quotas, DAILY):
                days[day] = days.get(day, 0) + 1
            else:
                assert days[day] == DAILY.limit, "refused only where the day is used up"
    assert all(number <= DAILY.limit for number in days.values())


@pytest.mark.parametrize("quota", [ROLLING, DAILY], ids=lambda quota: quota.name)
def test_it_is_free_again_at_the_time_that_is_named_and_not_before(tmp_path: Path, quota: Quota) -> None:
    clock = Hand()
    with opened(tmp_path, clock) as quotas:
        assert [spend(quotas, quota) for _ in range(6)] == [True] * 5 + [False]
        assert spend(quotas, quota, "somebody else")
        with pytest.raises(UsedUpError) as refused:
            quotas.check(quota, "somebody")
    clock.now = refused.value.resets_at - 1
    with opened(tmp_path, clock) as quotas:  # the program was started again
        assert not spend(quotas, quota)
        clock.now += 1
        assert spend(quotas, quota)


def test_nothing_is_counted_where_practice_is_without_quotas(tmp_path: Path) -> None:
    clock = Hand()
    with opened(tmp_path, clock, on=False) as quotas:
        assert all(spend(quotas, ROLLING) for _ in range(20))
    with opened(tmp_path, clock) as quotas:
        assert spend(quotas, ROLLING)


@pytest.fixture
def strict(tmp_path: Path, clock: Clock) -> Iterator[httpx.Client]:
    with running(Settings(tmp_path, quotas=True, clock=clock)) as client:
        yield client


def test_x_takes_a_hundred_posts_of_a_user_and_names_the_time_of_the_next(
    strict: httpx.Client, clock: Clock
) -> None:
    program, other = (XProgram.connect(strict, account=name) for name in ("busy", "calm"))
    answers = [program.publish(f"Post {number}") for number in range(101)]
    assert [answer.status_code for answer in answers] == [201] * 100 + [429]
    headers = answers[-1].headers
    assert (headers["x-rate-limit-limit"], headers["x-rate-limit-remaining"]) == ("100", "0")
    assert 800 < int(headers["x-rate-limit-reset"]) - clock() < 1000
    assert other.publish("Post").status_code == 201
    clock.ahead += 1000
    assert program.publish("Next").status_code == 201


def test_linkedin_counts_every_call_of_a_member_until_midnight(strict: httpx.Client, clock: Clock) -> None:
    program = LinkedInProgram.connect(strict, account="busy")
    statuses = [program.publish(f"Post {number}").status_code for number in range(151)]
    assert statuses == [201] * 149 + [429] * 2, "the member was asked for first"
    clock.ahead += 86_400
    assert program.publish("Tomorrow").status_code == 201
