"""Best times equal what an independent computation finds in the raw rows."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine, insert
from sqlalchemy.pool import StaticPool

from app.workspace.analytics.best_times import FIRST_DAY, LAST_DAY, BestTimes, best_times
from app.workspace.analytics.rows import read_last_days, read_samples
from app.workspace.store.tables import content, metadata, metrics, posts
from app.workspace.time.wall import WallClock

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
YEAR = timedelta(days=365)
ZONES = ("Europe/Lisbon", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia")
COUNTS = ("views", "likes", "comments", "shares")


class Post(NamedTuple):
    """A post that went out, and what was counted of it: numbers by days after that."""

    account: str
    published: datetime
    counted: dict[int, tuple[int, int, int, int]]


@st.composite
def published(draw: st.DrawFn) -> Post:
    """Few hours of the week, so that some have several posts; few weeks, so that some are young."""
    weeks, day, hour = draw(st.integers(0, 6)), draw(st.integers(0, 1)), draw(st.sampled_from((8, 9, 23)))
    moment = NOW - timedelta(weeks=weeks, days=day)
    at = moment.replace(hour=hour, minute=draw(st.integers(0, 59))) - timedelta(days=1)
    count = st.one_of(st.just(0), st.integers(0, 40))
    counts = st.tuples(count, count, count, count)
    counted = draw(st.dictionaries(st.sampled_from((0, 2, 3, 7, 8)), counts, max_size=4))
    return Post(draw(st.sampled_from(("one", "one", "two"))), at, counted)


MANY = st.integers(0, 60).flatmap(lambda count: st.lists(published(), min_size=count, max_size=count))
"""A list by itself is seldom long."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    made = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(made)
    yield made
    made.dispose()


@settings(max_examples=settings().max_examples // 2)
@given(many=MANY, zone=st.sampled_from(ZONES))
def test_they_equal_an_independent_computation(engine: Engine, many: list[Post], zone: str) -> None:
    assert concluded(engine, many, zone) == {
        account: naive([post for post in many if post.account == account], ZoneInfo(zone))
        for account in {post.account for post in many if post.counted}
    }


def concluded(engine: Engine, many: list[Post], zone: str) -> dict[str, Any]:
    """What the app finds in its tables."""
    with engine.connect() as rows, rows.begin() as transaction:
        for number, post in enumerate(many):
            keep(rows, number, post)
        since = int((NOW - YEAR).timestamp() * 1_000)
        samples, days = read_samples(rows, since, FIRST_DAY, LAST_DAY), read_last_days(rows)
        transaction.rollback()
    found = best_times(samples, days, WallClock(ZoneInfo(zone)), int(NOW.timestamp() * 1_000))
    return {account: told(times) for account, times in found.items()}


def keep(rows: Any, number: int, post: Post) -> None:
    """Writes a post, what came of it, and its samples, among those of content that is no post's."""
    service_id, moment = str(uuid5(NAMESPACE_URL, str(number))), post.published
    rows.execute(
        insert(posts).values(
            key=f"key {number}",
            service_id=service_id,
            account_key=post.account,
            platform="x",
            post_type="text",
            status="posted",
            headline="",
            at=0,
            posted_at=moment if number % 2 else None,
            media_storage_path="",
            created_at=moment,
            reason="",
            may_be_live=False,
            immediate=False,
        )
    )
    for platform, of in (("x", service_id.upper()), ("threads", None)):
        rows.execute(
            insert(content).values(
                id=f"{platform} {number}",
                platform=platform,
                content_id=f"content {number}",
                scheduled_post_id=of,
                created_via="rest",
                created_at=moment,
            )
        )
        for age, counts in post.counted.items():
            scale = 1 if of else 1_000
            rows.execute(
                insert(metrics).values(
                    id=f"{platform} {number} {age}",
                    platform=platform,
                    content_id=f"content {number}",
                    metric_date=str(moment.date() + timedelta(days=age)),
                    **{name: scale * count for name, count in zip(COUNTS, counts, strict=True)},
                    subscribers=7,
                    created_at=moment,
                )
            )


def naive(own: list[Post], zone: ZoneInfo) -> tuple[object, ...]:
    """The same from the posts themselves, step by step, with nothing of the app's."""
    last = max(post.published.date() + timedelta(days=age) for post in own for age in post.counted)
    ripe = []
    for post in own:
        week = [counts for age, counts in post.counted.items() if age in (3, 4, 5, 6, 7)]
        if week and (NOW.date() - post.published.date()).days >= 8:
            ripe.append((post, [max(column) for column in zip(*week, strict=True)]))
    having = [sum(highest[place] > 0 for _, highest in ripe) for place in range(4)]
    if not any(having):
        return None, 0, len(ripe), 0.0, [], last
    place = next((place for place in range(4) if having[place] >= 10), having.index(max(having)))
    counted = [(post, highest[place]) for post, highest in ripe if highest[place]]
    usual = median([count for _, count in counted])
    times = []
    for weekday in range(7):
        for hour in range(24):
            there = []
            for post, count in counted:
                local = post.published.astimezone(zone)
                if (local.weekday(), local.hour) == (weekday, hour):
                    there.append((local.minute, count))
            typical = median([count for _, count in there]) if len(there) >= 3 else 0
            if typical > usual and len(counted) >= 10:
                quarters = [minute // 15 for minute, _ in there]
                often = max(quarters.count(quarter) for quarter in range(4))
                first = next(quarter for quarter in range(4) if quarters.count(quarter) == often)
                times.append((-typical, -len(there), weekday, hour * 60 + first * 15))
    best = [(day, minute, -count, -typical) for typical, count, day, minute in sorted(times)[:3]]
    return COUNTS[place], len(counted), len(ripe) - len(counted), usual, best, last


def told(times: BestTimes) -> tuple[object, ...]:
    best = [(one.weekday, one.minute, one.posts, one.typical) for one in times.times]
    measure = times.measure.value if times.measure else None
    return measure, times.posts, times.unreported, times.usual, best, times.sampled_on


def weekly(count: int, *, measure: int = 0, value: int = 10, hour: int = 8) -> list[Post]:
    """So many posts, a week from each other, whose numbers in one measure are all alike."""
    numbers = tuple(value if place == measure else 0 for place in range(4))
    return [
        Post("one", (NOW - timedelta(weeks=2 + week)).replace(hour=hour), {7: numbers})  # type: ignore[dict-item]
        for week in range(count)
    ]


def test_a_post_counts_once_its_week_is_over(engine: Engine) -> None:
    young = [Post("one", NOW - timedelta(days=age), {3: (9, 0, 0, 0)}) for age in (7, 8)]
    found = concluded(engine, young, "UTC")
    assert found["one"][1] == 1


def test_the_numbers_of_the_first_days_and_of_later_ones_do_not_count(engine: Engine) -> None:
    moment = NOW - timedelta(days=30)
    found = concluded(engine, [Post("one", moment, {2: (9, 0, 0, 0), 8: (99, 0, 0, 0)})], "UTC")
    assert found["one"][0] is None


@pytest.mark.parametrize("posts_there", [9, 10])
def test_nothing_is_said_before_there_are_posts_enough(engine: Engine, posts_there: int) -> None:
    many = [*weekly(3, value=50), *weekly(posts_there - 3, hour=12)]
    assert bool(concluded(engine, many, "UTC")["one"][4]) is (posts_there == 10)


def test_one_post_that_went_far_does_not_make_its_hour_a_good_one(engine: Engine) -> None:
    many = [*weekly(2, value=1), *weekly(9, value=10, hour=12)]
    many.append(Post("one", (NOW - timedelta(weeks=9)).replace(hour=8), {7: (1_000_000, 0, 0, 0)}))
    assert concluded(engine, many, "UTC")["one"][4] == []


def test_what_a_platform_does_not_report_is_never_taken_for_zero(engine: Engine) -> None:
    """Without views likes are compared; a post without any number is none."""
    many = [*weekly(6, measure=1, value=40), *weekly(7, measure=1, value=20, hour=12)]
    silent = [Post("one", post.published, {7: (0, 0, 0, 0)}) for post in weekly(8, hour=8)]
    measure, counted, unreported, usual, best, _ = concluded(engine, [*many, *silent], "UTC")["one"]
    assert (measure, counted, unreported, usual) == ("likes", 13, 8, 20.0)
    assert best == [(5, 8 * 60 + 30, 6, 40.0)]


def test_times_are_told_in_their_zone_also_across_a_clock_change(engine: Engine) -> None:
    """At nine in Lisbon all year is another hour of UTC in summer than in winter."""
    lisbon = ZoneInfo("Europe/Lisbon")
    nine = [datetime(2026, 10, 5, 9, 20, tzinfo=lisbon) + timedelta(weeks=week) for week in range(6)]
    other = [datetime(2026, 9, 8, 15, 0, tzinfo=lisbon) + timedelta(weeks=week) for week in range(8)]
    many = [Post("one", at.astimezone(UTC), {7: (80, 0, 0, 0)}) for at in nine]
    many += [Post("one", at.astimezone(UTC), {7: (20, 0, 0, 0)}) for at in other]
    assert concluded(engine, many, "Europe/Lisbon")["one"][4] == [(0, 9 * 60 + 15, 6, 80.0)]


def test_the_last_sample_counts_for_its_day(engine: Engine) -> None:
    at = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
    found = concluded(engine, [Post("one", at, {7: (1, 0, 0, 0), 60: (5, 0, 0, 0)})], "UTC")
    assert found["one"][5] == date(2026, 10, 31)
