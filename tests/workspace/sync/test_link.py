"""What calls say about the service: when to try again, and what the user should know."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.client import (
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    RateLimited,
    RetryPolicy,
    ServerFailed,
    ServiceClient,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
)
from app.workspace.clock import Pace, from_millis
from app.workspace.problems import problem_of
from app.workspace.sync.link import Link
from tests.leaping import leap, run_leaping
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import BASE_URL, KEY, START
from tests.workspace.opened import QUICK, opened, until
from tests.workspace.streaming_service import StreamingService

PACE = Pace(backoff=1, backoff_max=60, limited=60, silence=600, answer=300, broken=100)
_PACE = replace(QUICK, silence=0.2, answer=0.1, broken=0.05)


def limited(retry_after: float | None) -> RateLimited:
    error = RateLimited(429, "rate_limited", "Slower.")
    error.retry_after = retry_after
    return error


def told(story: Callable[[Link], Any]) -> Any:
    async def run() -> Any:
        return story(Link(PACE, lambda: 0, lambda: None))

    return run_leaping(run())


def silences(story: Callable[[Link], Coroutine[Any, Any, None]]) -> list[bool]:
    """What a link reports of the service's silence while a story plays."""

    async def run() -> list[bool]:
        reported: list[bool] = []
        link = Link(PACE, lambda: 0, lambda: reported.append(link.is_silent))
        await story(link)
        return reported

    return run_leaping(run())


async def pass_by(seconds: float) -> None:
    """Let time pass, and the timers run that are due by then."""
    leap(seconds)
    for _ in range(3):
        await asyncio.sleep(0)


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
        link.failed(limited(50))
        return link.wait

    assert 49 < told(story) <= 50


@pytest.mark.parametrize("retry_after", [61.0, 300.0, 1e9, 1e40, float("inf")])
def test_no_wait_is_longer_than_the_longest_after_a_failure(retry_after: float) -> None:
    """The service may be well again long before the time that it named."""

    def story(link: Link) -> float:
        link.failed(limited(retry_after))
        return link.wait

    assert told(story) <= PACE.backoff_max


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


def test_before_the_first_call_nothing_is_known() -> None:
    def story(link: Link) -> None:
        assert (link.connected, link.blocked, link.is_followed, link.is_current) == (False,) * 4
        assert (link.problem, link.trouble, link.asked_until, link.wait) == (None, None, None, 0.0)

    told(story)


def test_failed_calls_are_repeated_ever_more_rarely_up_to_a_minute_and_then_as_at_first() -> None:
    def story(link: Link) -> list[tuple[float, float]]:
        waits: list[tuple[float, float]] = []
        for number in (0, 1, 2, 3, 4, 5, 6, 20, 0):
            link.succeeded()
            for _ in range(number + 1):
                link.failed(TimedOut("late"))
            waits.append((min(60, 2**number), link.wait))
        return waits

    for longest, wait in told(story):
        assert 0.5 * longest - 0.1 <= wait <= longest


@pytest.mark.parametrize(
    ("error", "connected", "blocked", "is_said"),
    [
        (TimedOut("late"), False, False, False),
        (ServiceUnreachable("away"), False, False, False),
        (CertificateRejected("whose?"), False, False, True),
        (Unauthorized(401, "unauthorized", "No."), False, True, True),
        (ServerFailed(500, "internal", "Oh."), True, False, True),
        (AnswerNotUnderstood("what"), True, False, True),
        (RateLimited(429, "rate_limited", "Slower."), True, False, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_failed_call_tells(error: ClientError, connected: bool, blocked: bool, is_said: bool) -> None:
    def story(link: Link) -> None:
        link.succeeded()
        link.failed(error)
        assert (link.connected, link.blocked, link.problem is not None) == (connected, blocked, is_said)
        assert link.trouble == problem_of(error).text
        assert link.problem in {None, link.trouble}
        assert link.wait > 0
        link.succeeded()
        assert (link.connected, link.blocked, link.wait) == (True, False, 0.0)
        assert [link.problem, link.trouble] == [None, None]

    told(story)


def test_asking_now_waits_for_nothing() -> None:
    def story(link: Link) -> tuple[int | None, float, int | None]:
        link.failed(limited(200))
        asked = link.asked_until
        link.retry_now()
        return asked, link.wait, link.asked_until

    assert told(story) == (200_000, 0.0, None)


def test_a_change_that_is_never_taken_is_said_until_it_is_and_behind_what_is_worse() -> None:
    def story(link: Link) -> list[str | None]:
        said = []
        link.succeeded()
        link.hold_up("refused again and again")
        said.append(link.problem)
        link.succeeded()  # a look
        said.append(link.problem)
        link.failed(Unauthorized(401, "unauthorized", "No."))
        said.append(link.problem)
        link.hold_up("another reason")
        said.append(link.problem)
        assert link.blocked
        link.succeeded()
        said.append(link.problem)
        link.hold_up(None)
        assert link.connected
        return [*said, link.problem]

    first, look, worse, still, after, last = told(story)
    assert first == look == "refused again and again"
    assert worse == still == problem_of(Unauthorized(401, "unauthorized", "No.")).text
    assert (after, last) == ("another reason", None)


def test_only_changes_are_told() -> None:
    times = 0

    def count() -> None:
        nonlocal times
        times += 1

    async def story() -> list[int]:
        link, counts = Link(PACE, lambda: 0, count), []
        for step in (link.succeeded, link.succeeded, lambda: link.failed(TimedOut("late")), link.succeeded):
            step()
            counts.append(times)
        link.failed(limited(10))
        link.failed(limited(20))
        return [*counts, times]

    assert run_leaping(story()) == [1, 1, 2, 3, 5]


def test_a_stream_that_has_just_begun_may_have_missed_something() -> None:
    def story(link: Link) -> list[tuple[bool, bool]]:
        seen = [(link.is_followed, link.is_current)]
        for followed, seconds in ((True, 1.5), (True, 2.5), (False, 5)):
            link.follow(followed=followed)
            seen.append((link.is_followed, link.is_current))
            leap(seconds)
            seen.append((link.is_followed, link.is_current))
        return seen

    gone, new, followed = (False, False), (True, False), (True, True)
    assert told(story) == [gone, new, new, new, followed, gone, gone]


def test_waits_of_several_programs_differ() -> None:
    def story(_link: Link) -> set[int]:
        links = [Link(PACE, lambda: 0, lambda: None) for _ in range(20)]
        for link in links:
            for _ in range(7):
                link.failed(TimedOut("late"))
        return {round(link.wait) for link in links}

    assert len(told(story)) > 3


def test_a_missing_answer_is_reported_until_the_service_says_something() -> None:
    async def story(link: Link) -> None:
        with link.asking():
            await pass_by(550)
            seen = [link.is_silent]
            await pass_by(100)
            seen.append(link.is_silent)
            link.heard()
            assert [*seen, link.is_silent] == [False, True, False]

    assert silences(story) == [True, False]


def test_an_answered_call_is_no_silence_however_long_nothing_is_asked() -> None:
    async def story(link: Link) -> None:
        with link.asking():
            await pass_by(100)
        await pass_by(3_600)

    assert silences(story) == []


def test_a_call_after_a_long_quiet_time_may_take_as_long_as_any_other() -> None:
    async def story(link: Link) -> None:
        await pass_by(3_600)
        with link.asking():
            await pass_by(250)
            seen = [link.is_silent]
            await pass_by(100)
            assert [*seen, link.is_silent] == [False, True]

    assert silences(story) == [True, False]


def test_a_broken_stream_is_reported_until_the_service_says_something() -> None:
    async def story(link: Link) -> None:
        link.follow(followed=True)
        link.follow(followed=False)
        await pass_by(50)
        seen = [link.is_silent]
        await pass_by(100)
        assert [*seen, link.is_silent] == [False, True]
        link.heard()

    assert silences(story) == [True, False]


def test_a_stream_that_soon_goes_on_is_no_silence() -> None:
    async def story(link: Link) -> None:
        link.follow(followed=True)
        link.follow(followed=False)
        await pass_by(50)
        link.follow(followed=True)
        await pass_by(3_600)

    assert silences(story) == []


def test_a_closed_link_reports_nothing() -> None:
    async def story(link: Link) -> None:
        with link.asking():
            link.close()
            await pass_by(3_600)
            assert link.is_silent is False

    assert silences(story) == []


@dataclass
class StoppedService(StreamingService):
    """A service that tells of changes; while it is ``stopped``, calls and streams hang."""

    stopped: bool = False

    def client(self) -> ServiceClient:
        transport = httpx.MockTransport(self._hanging)
        retries = RetryPolicy(attempts=1, wait_initial=0.01)
        return ServiceClient(BASE_URL, KEY, transport=transport, retries=retries)

    async def _hanging(self, request: httpx.Request) -> httpx.Response:
        while self.stopped:  # noqa: ASYNC110  the test tells nobody
            await asyncio.sleep(0.002)
        return self.answer(request)


async def test_a_followed_service_that_is_stopped_is_missed_and_found_again(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    async with opened(tmp_path, service, pace=_PACE) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        service.stopped = True
        await until(lambda: workspace.sync.silent_since)
        assert workspace.sync.followed
        silent = workspace.sync.silent_since
        assert silent is not None
        assert silent < from_millis(service.clock())
        service.stopped = False
        await until(lambda: workspace.sync.silent_since is None)
        synced = workspace.sync.last_synced
        assert synced is not None
        assert from_millis(service.clock()) - synced < timedelta(seconds=1)


async def test_a_service_that_is_asked_is_missed_too(tmp_path: Path) -> None:
    service = HeldService(lambda: START)
    service.add_account()

    async with opened(tmp_path, service, pace=_PACE) as workspace:
        await until(lambda: workspace.sync.last_synced)
        with service.hold("GET", "/connections"):
            await until(lambda: workspace.sync.silent_since)
            assert workspace.sync.connected
        await until(lambda: workspace.sync.silent_since is None)


async def test_a_stream_that_breaks_is_silence_until_an_answer_comes(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    pace = replace(_PACE, silence=3_600, answer=3_600)
    async with opened(tmp_path, service, pace=pace) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        service.stopped = True
        service.cut()
        await until(lambda: workspace.sync.silent_since)
        service.stopped = False
        await until(lambda: workspace.sync.silent_since is None and workspace.sync.followed)


async def test_an_answering_service_is_never_called_silent(tmp_path: Path) -> None:
    service = StoppedService(lambda: START)
    service.add_account()

    async with opened(tmp_path, service, pace=_PACE) as workspace:
        await until(lambda: workspace.sync.followed and workspace.sync.last_synced)
        await until(lambda: service.asked("/companion/v1") >= 4)
        assert workspace.sync.silent_since is None
        assert all(workspace.sync.connected for _ in workspace.heard)
