"""What calls tell about the way to the service: when to try again, and what a person should know."""

from collections.abc import Callable
from typing import Any

import pytest

from app.client import AnswerNotUnderstood, ClientError, RateLimited, TimedOut
from app.workspace.clock import Pace
from app.workspace.sync.link import Link
from tests.leaping import leap, run_leaping

PACE = Pace(backoff=1, backoff_max=60, limited=60)


def limited(retry_after: float | None) -> RateLimited:
    error = RateLimited(429, "rate_limited", "Slower.")
    error.retry_after = retry_after
    return error


def told(story: Callable[[Link], Any]) -> Any:
    async def run() -> Any:
        return story(Link(PACE, lambda: 0, lambda: None))

    return run_leaping(run())


@pytest.mark.parametrize("retry_after", [0.0, 0.001, None])
def test_a_service_that_asks_for_no_wait_is_asked_ever_more_rarely(retry_after: float | None) -> None:
    def story(link: Link) -> list[float]:
        waits = []
        for _ in range(10):
            link.failed(limited(retry_after))
            waits.append(link.wait)
            leap(link.wait)
        return waits

    waits = told(story)
    assert all(wait >= 0.5 * min(60, 2**number) - 0.1 for number, wait in enumerate(waits))


def test_the_longer_wait_counts() -> None:
    def story(link: Link) -> float:
        link.failed(limited(200))
        return link.wait

    assert 190 < told(story) <= 200


def test_asking_to_wait_again_and_again_is_said_after_a_minute() -> None:
    def story(link: Link) -> list[bool]:
        said = []
        for seconds in (0, 30, 29, 2):
            leap(seconds)
            link.failed(limited(0))
            said.append(link.problem is not None)
        return said

    assert told(story) == [False, False, False, True]


@pytest.mark.parametrize("between", [None, TimedOut("late"), AnswerNotUnderstood("what")])
def test_what_happens_between_begins_the_minute_again(between: ClientError | None) -> None:
    def story(link: Link) -> str | None:
        link.failed(limited(0))
        leap(50)
        if between is None:
            link.succeeded()
        else:
            link.failed(between)
        link.failed(limited(0))
        leap(50)
        link.failed(limited(0))
        return link.problem

    assert told(story) is None


def test_success_takes_the_sentence_away() -> None:
    def story(link: Link) -> tuple[str | None, str | None, float]:
        link.failed(limited(0))
        leap(61)
        link.failed(limited(0))
        before = link.problem
        link.succeeded()
        return before, link.problem, link.wait

    before, after, wait = told(story)
    assert before
    assert (after, wait) == (None, 0.0)
