"""Samples are asked for seldom, without a hole, and best times are concluded from them."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from app.contract.base import format_timestamp
from app.workspace.analytics.best_times import BestTime
from app.workspace.analytics.counts import Measure
from app.workspace.messages import Problem
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_metrics import keep_metrics, metric
from tests.workspace.model_service import HOUR, HandClock, ModelService
from tests.workspace.opened import Opened, opened

TODAY = date(2026, 11, 21)
LISBON = ZoneInfo("Europe/Lisbon")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock, page_max=3)


def days_ago(number: int) -> date:
    return TODAY - timedelta(days=number)


async def views(workspace: Opened) -> list[int]:
    return [sample.views for sample in await workspace.analytics.samples(date(2020, 1, 1))]


async def test_what_is_known_and_settled_is_not_asked_for_again(
    tmp_path: Path, service: ModelService
) -> None:
    keep_history(service, [])
    samples = [metric("a", days_ago(age), 100 - age) for age in range(12)]
    asked = keep_metrics(service, samples)

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.analytics.refresh()
            assert await views(workspace) == [100 - age for age in reversed(range(12))]
            assert len(asked) == 4
            assert any(changes.metrics for changes in workspace.heard)
            await workspace.analytics.refresh()
            assert len(asked) == 5

    await story()


async def test_samples_of_today_that_changed_are_found_wherever_they_stand(
    tmp_path: Path, service: ModelService
) -> None:
    """The service renews them in place, in no order that a listing would show."""
    keep_history(service, [])
    samples = [metric(f"post {number}", days_ago(age), 1) for number in range(10) for age in range(4)]
    keep_metrics(service, samples)

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.analytics.refresh()
            renewed = [one for one in samples if one["metric_date"] >= days_ago(1).isoformat()]
            for number, sample in enumerate(renewed):
                sample["views"] = 1_000 + number
                await workspace.analytics.refresh()
                assert sample["views"] in await views(workspace)

    await story()


async def test_numbers_come_without_the_history_too(tmp_path: Path, service: ModelService) -> None:
    keep_history(service, [], fails=lambda _cursor: True)
    keep_metrics(service, [metric("a", days_ago(1), 5)])

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="The service had an internal error"):
            await workspace.analytics.refresh()
        assert await views(workspace) == [5]
        assert await workspace.analytics.asked_at() == 0
        data = await workspace.analytics.dataset(LISBON)
        assert [source.key for source in data.sources] == ["x:"]


async def test_a_service_without_a_history_tells_numbers_still(tmp_path: Path, service: ModelService) -> None:
    keep_metrics(service, [metric("a", days_ago(1), 5)])

    async with opened(tmp_path, service) as workspace:
        await workspace.analytics.refresh()
        assert await views(workspace) == [5]
        assert await workspace.analytics.asked_at() > 0


async def test_a_listing_that_was_broken_off_leaves_no_hole(tmp_path: Path, service: ModelService) -> None:
    keep_history(service, [])
    samples = [metric("a", days_ago(age), 100 - age) for age in range(3, 40)]
    left = [0]

    def fails(_cursor: str | None) -> bool:
        left[0] -= 1
        return left[0] < 0

    keep_metrics(service, samples, fails)

    for turn, calls in enumerate((4, 2, 0, 5)):
        left[0] = calls
        async with opened(tmp_path, service) as workspace:
            with pytest.raises(Problem):
                await workspace.analytics.refresh()
            assert await workspace.analytics.asked_at() == 0
        samples.append(metric("b", days_ago(3 - turn), turn))
    left[0] = 100
    async with opened(tmp_path, service) as workspace:
        await workspace.analytics.refresh()
        assert len(await views(workspace)) == len(samples)


async def test_samples_of_days_to_come_hide_none(tmp_path: Path, service: ModelService) -> None:
    keep_history(service, [])
    samples = [metric("odd", date(2999, 1, 1)), *(metric("a", days_ago(age), age) for age in range(5))]
    keep_metrics(service, samples)

    async with opened(tmp_path, service) as workspace:
        await workspace.analytics.refresh()
        samples.extend(metric(f"post {number}", TODAY, number) for number in range(10))
        await workspace.analytics.refresh()
        assert len(await views(workspace)) == len(samples)


async def test_numbers_are_asked_for_some_times_a_day_and_whenever_that_is_wanted(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    keep_history(service, [])
    asked = keep_metrics(service, [metric("a", TODAY)])

    async with opened(tmp_path, service) as workspace:
        await asyncio.gather(*(workspace.analytics.refresh_when_due() for _ in range(5)))
        assert len(asked) == 1
        clock.now += 5 * HOUR
        await workspace.analytics.refresh_when_due()
        assert len(asked) == 1
    async with opened(tmp_path, service) as workspace:
        await workspace.analytics.refresh_when_due()
        assert len(asked) == 1
        clock.now += HOUR
        await workspace.analytics.refresh_when_due()
        assert len(asked) == 2
        assert await workspace.analytics.asked_at() == clock.now
        await workspace.analytics.refresh()
        assert len(asked) == 3
        clock.now -= 48 * HOUR  # the clock was wrong
        await workspace.analytics.refresh_when_due()
        assert len(asked) == 4


async def test_after_a_file_was_damaged_all_is_asked_for_anew(tmp_path: Path, service: ModelService) -> None:
    keep_history(service, [])
    samples = [metric("a", days_ago(age), age) for age in range(12)]
    keep_metrics(service, samples)

    async with opened(tmp_path, service) as workspace:
        await workspace.analytics.refresh()
    (tmp_path / "workspace.db").write_bytes(b"no database " * 1_000)
    async with opened(tmp_path, service) as workspace:
        assert "moved to" in workspace.said[0].text
        await workspace.analytics.refresh_when_due()
        assert len(await views(workspace)) == len(samples)


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "timeout"])
async def test_every_failure_is_a_problem_with_words(
    tmp_path: Path, service: ModelService, fault: str
) -> None:
    keep_history(service, [])
    keep_metrics(service, [])

    async with opened(tmp_path, service) as workspace:
        service.faults = [("GET", fault)] * 50
        with pytest.raises(Problem):
            await workspace.analytics.refresh()
        service.faults.clear()


async def test_a_service_without_numbers_is_said_so(tmp_path: Path, service: ModelService) -> None:
    keep_history(service, [])

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="doesn't provide post metrics"):
            await workspace.analytics.refresh()


async def test_best_times_follow_from_what_the_service_tells(tmp_path: Path, service: ModelService) -> None:
    service.page_max = 100
    account, quiet = service.add_account(), service.add_account()
    records: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    keep_history(service, records)
    keep_metrics(service, samples)

    def publish(number: int, at: datetime, counted: int) -> None:
        key = UUID(service.add_post(account, int(at.timestamp() * 1_000), status="posted"))
        service.posts[key]["posted_at"] = format_timestamp(at)
        told = record(number, scheduled_post_id=str(key), created_at=format_timestamp(at))
        records.append(told)
        samples.extend(
            metric(told["content_id"], at.date() + timedelta(days=age), counted + age) for age in range(8)
        )

    for week in range(1, 5):
        tuesday = datetime(2026, 11, 17, 18, 31, tzinfo=UTC) - timedelta(weeks=week)
        publish(2 * week, tuesday, 500)
        publish(2 * week + 1, tuesday + timedelta(days=2), 100)

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await workspace.analytics.refresh()
        few = (await workspace.analytics.best_times(LISBON))[account]
        assert (few.measure, few.posts, few.missing, few.times) == (Measure.VIEWS, 8, 2, ())
        for number in (20, 21):
            publish(number, datetime(2026, 11, number - 12, 7, 0, tzinfo=UTC), 90)
        await workspace.refresh()
        await workspace.analytics.refresh()
        found = await workspace.analytics.best_times(LISBON)
        # In October the clock of Lisbon was an hour ahead of UTC: that Tuesday counts for another hour.
        assert found[account].times == (BestTime(1, 18 * 60 + 30, 3, 507.0),)
        assert found[account].sampled_on == date(2026, 11, 19)
        assert quiet not in found


async def test_views_of_posts_are_those_of_the_last_sample(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    keys = [service.add_post(account, 1_790_000_000_000 + n, status="posted") for n in range(3)]
    records = [record(number, scheduled_post_id=key) for number, key in enumerate(keys)]
    keep_history(service, records)
    counted = ((0, 40, 3), (0, 12_900, 1), (1, 0, 1))
    keep_metrics(
        service, [metric(records[n]["content_id"], days_ago(age), views) for n, views, age in counted]
    )

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await workspace.analytics.refresh()
        first, second, third = (str(post.key) for post in workspace.posts.all())
        assert await workspace.analytics.views([first, second, third]) == {first: 12_900}
        assert await workspace.analytics.views([second]) == {}
