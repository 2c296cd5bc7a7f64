"""The numbers of the dashboard equal what a slow and plain computation finds in the raw rows."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, create_engine, insert
from sqlalchemy.pool import StaticPool

from app.workspace.analytics import dashboard
from app.workspace.analytics.dashboard import Choice
from app.workspace.analytics.dataset import COUNTED, Dataset, Figure, Span
from app.workspace.analytics.rows import pack_some, read_items, read_packs, read_sampled
from app.workspace.analytics.tally import Told, load, load_curve
from app.workspace.store.tables import content, metadata, metrics, posts
from app.workspace.time.wall import WallClock

TODAY = date(2026, 11, 21)
ZONES = (
    "UTC",
    "Europe/Lisbon",
    "Pacific/Auckland",
    "America/Los_Angeles",
    "Pacific/Kiritimati",
    "Asia/Kolkata",
)
PLATFORMS = ("tiktok", "youtube", "x")
NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)


class Raw(NamedTuple):
    """A sample as the service tells it."""

    item: int
    day: date
    made: datetime
    counts: tuple[int, int, int, int]
    followers: int


class Piece(NamedTuple):
    """Something that was published. ``account`` is None where no post of ours is behind it."""

    platform: str
    account: str | None
    at: datetime | None


@dataclass(frozen=True)
class World:
    pieces: list[Piece]
    samples: list[Raw]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    pieces, samples = [], []
    for item in range(draw(st.integers(0, 6))):
        platform = draw(st.sampled_from(PLATFORMS))
        account = draw(st.sampled_from([None, f"{platform} 1", f"{platform} 2"]))
        age = draw(st.integers(0, 190))
        at = NOW - timedelta(days=age, minutes=draw(st.integers(0, 1_439)))
        pieces.append(Piece(platform, account, draw(st.sampled_from([at, at, at, None]))))
        for back in draw(st.lists(st.integers(0, 120), unique=True, max_size=12)):
            day = TODAY - timedelta(days=back)
            noon = datetime(day.year, day.month, day.day, tzinfo=UTC)
            minutes = draw(st.one_of(st.integers(0, 1_439), st.integers(-2_000, 3_000)))
            counts = draw(st.tuples(*[st.one_of(st.just(0), st.integers(0, 5_000))] * 4))
            followers = draw(st.one_of(st.just(0), st.integers(1, 9_999)))
            samples.append(Raw(item, day, noon + timedelta(minutes=minutes), counts, followers))
    return World(pieces, samples)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    last = TODAY.toordinal() - draw(st.integers(0, 60))
    return Span(last - draw(st.integers(0, 89)), last)


class Naive:
    """Everything one row after the other."""

    def __init__(self, world: World, zone: ZoneInfo) -> None:
        self.world, self.zone = world, zone
        self.today = NOW.astimezone(zone).date()
        self.taken: dict[int, dict[date, Raw]] = defaultdict(dict)
        for raw in sorted(world.samples, key=lambda raw: (raw.day, raw.made)):
            if (day := self.day_of(raw)) <= self.today:
                self.taken[raw.item][day] = raw

    def day_of(self, raw: Raw) -> date:
        return raw.made.astimezone(self.zone).date() if raw.made.date() == raw.day else raw.day

    def source(self, item: int) -> str:
        piece = self.world.pieces[item]
        return (piece.account if piece.at else None) or f"{piece.platform}:"

    def published(self, item: int) -> date | None:
        at = self.world.pieces[item].at
        return at.astimezone(self.zone).date() if at else None

    def reports(self, platform: str, figure: int) -> bool:
        mine = (raw for raw in self.world.samples if self.world.pieces[raw.item].platform == platform)
        kept = (raw for raw in mine if self.day_of(raw) <= self.today)
        return any((*raw.counts, raw.followers)[figure] > 0 for raw in kept)

    def gains(self, item: int, figure: int) -> dict[date, int]:
        """What each sample adds to the one before it, by day."""
        found: dict[date, int] = defaultdict(int)
        before = None
        for raw in sorted(self.world.samples, key=lambda raw: raw.day):
            day, published = self.day_of(raw), self.published(item)
            if raw.item != item or day > self.today:
                continue
            if before is None:
                is_new = published is not None and (day - published).days <= 2
                before = 0 if is_new else raw.counts[figure]
            found[day] += raw.counts[figure] - before
            before = raw.counts[figure]
        return found

    def total(self, keys: frozenset[str], figure: int, span: Span) -> int | None:
        items = [item for item in self.taken if not keys or self.source(item) in keys]
        told = [item for item in items if self.reports(self.world.pieces[item].platform, figure)]
        listed = {one.platform for item, one in enumerate(self.world.pieces) if self.is_listed(item, keys)}
        if not any(self.reports(platform, figure) for platform in listed):
            return None
        return sum(
            gain
            for item in told
            for day, gain in self.gains(item, figure).items()
            if span.first <= day.toordinal() <= span.last
        )

    def is_listed(self, item: int, keys: frozenset[str]) -> bool:
        has_sample = any(raw.item == item for raw in self.world.samples)
        return (not keys or self.source(item) in keys) and (
            self.world.pieces[item].at is not None or has_sample
        )

    def followers(self, key: str) -> dict[date, int]:
        found: dict[date, int] = {}
        for raw in sorted(self.world.samples, key=lambda raw: (raw.made, raw.followers)):
            if self.source(raw.item) == key and raw.followers and self.day_of(raw) <= self.today:
                found[self.day_of(raw)] = raw.followers
        return found


def stored(world: World) -> Engine:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.begin() as rows:
        for number, piece in enumerate(world.pieces):
            if piece.at is not None:
                _publish(rows, number, piece)
        for number, raw in enumerate(world.samples):
            _sample(rows, number, raw, world.pieces[raw.item].platform)
    return engine


def _publish(rows: Connection, number: int, piece: Piece) -> None:
    key = str(uuid5(NAMESPACE_URL, str(number)))
    told: dict[str, Any] = {"platform": piece.platform, "created_at": piece.at, "title": f"Piece {number}"}
    if piece.account is not None:
        at = round(piece.at.timestamp() * 1_000) if piece.at else 0
        rows.execute(
            insert(posts).values(
                key=key,
                service_id=key,
                account_key=piece.account,
                platform=piece.platform,
                post_type="text",
                status="posted",
                headline="",
                at=at,
                posted_at=piece.at,
                media_storage_path="",
                created_at=piece.at,
                reason="",
                may_be_live=False,
                immediate=False,
            )
        )
        told["scheduled_post_id"] = key.upper()
    rows.execute(insert(content).values(id=key, content_id=f"piece {number}", created_via="rest", **told))


def _sample(rows: Connection, number: int, raw: Raw, platform: str) -> None:
    views, likes, comments, shares = raw.counts
    rows.execute(
        insert(metrics).values(
            id=f"{number:05}",
            platform=platform,
            content_id=f"piece {raw.item}",
            metric_date=raw.day.isoformat(),
            views=views,
            likes=likes,
            comments=comments,
            shares=shares,
            subscribers=raw.followers,
            created_at=raw.made,
        )
    )


def read(world: World, zone: ZoneInfo) -> tuple[Told, Dataset]:
    engine, now = stored(world), round(NOW.timestamp() * 1_000)
    try:
        with engine.begin() as rows:
            while pack_some(rows, TODAY):
                pass
            told = Told(list(read_packs(rows, TODAY)), read_items(rows, 0), None, {}, now, now)
            found = load(told, WallClock(zone))
            if found is None:
                told = told._replace(sampled=read_sampled(rows))
                found = load(told, WallClock(zone))
            assert found is not None
            return told, found
    finally:
        engine.dispose()


def laid_out(world: World, zone: ZoneInfo) -> Dataset:
    return read(world, zone)[1]


chosen = st.frozensets(
    st.sampled_from([f"{p}{tail}" for p in PLATFORMS for tail in (" 1", " 2", ":")]), max_size=3
)
zones = st.sampled_from(ZONES).map(ZoneInfo)


@given(worlds(), zones, spans(), chosen)
@settings(max_examples=settings().max_examples // 2)
def test_totals_are_those_of_the_rows(world: World, zone: ZoneInfo, span: Span, keys: frozenset[str]) -> None:
    data, naive = laid_out(world, zone), Naive(world, zone)
    known_keys = frozenset(source.key for source in data.sources)
    keys &= known_keys
    for place, figure in enumerate(COUNTED):
        found = dashboard.tile(data, Choice(span, keys), figure)
        assert found.total == naive.total(keys, place, span)
        if found.before is not None:
            assert found.before == naive.total(keys, place, span.before)
        silent = {
            one.platform
            for item, one in enumerate(world.pieces)
            if naive.is_listed(item, keys) and not naive.reports(one.platform, place)
        }
        assert set(found.silent) == silent


@given(worlds(), zones, spans())
@settings(max_examples=settings().max_examples // 2)
def test_lines_are_those_of_the_rows_and_end_with_the_last_complete_day(
    world: World, zone: ZoneInfo, span: Span
) -> None:
    data, naive = laid_out(world, zone), Naive(world, zone)
    assert data.today == naive.today.toordinal()
    assert data.complete < data.today
    for place, figure in enumerate(COUNTED):
        for line in dashboard.lines(data, Choice(span), figure):
            assert len(line.values) <= max(0, data.complete - span.first + 1)
            own = [item for item in naive.taken if naive.source(item) == line.source.key]
            for number, value in enumerate(line.values):
                day = date.fromordinal(span.first + number)
                gains = [gain for item in own if (gain := naive.gains(item, place).get(day)) is not None]
                assert (sum(gains) if gains else None) == value


@given(worlds(), zones, spans())
@settings(max_examples=settings().max_examples // 2)
def test_followers_are_the_last_that_were_told(world: World, zone: ZoneInfo, span: Span) -> None:
    data, naive = laid_out(world, zone), Naive(world, zone)
    for line in dashboard.lines(data, Choice(span), Figure.FOLLOWERS):
        levels = naive.followers(line.source.key)
        for number, value in enumerate(line.values):
            before = [day for day in levels if day.toordinal() <= span.first + number]
            assert (levels[max(before)] if before else None) == value


@given(worlds(), zones)
@settings(max_examples=settings().max_examples // 2)
def test_hours_and_posts_are_those_of_the_rows(world: World, zone: ZoneInfo) -> None:
    data, naive = laid_out(world, zone), Naive(world, zone)
    found = dashboard.heat(data, Choice(Span(data.today, data.today)))
    hours: dict[tuple[int, int], list[int]] = defaultdict(list)
    for item, piece in enumerate(world.pieces):
        published, taken = naive.published(item), naive.taken.get(item)
        interactive = any(naive.reports(piece.platform, place) for place in (1, 2, 3))
        if published and taken and interactive and 0 <= (naive.today - published).days < 90:
            assert piece.at is not None
            local = piece.at.astimezone(zone)
            hours[local.weekday(), local.hour].append(sum(taken[max(taken)].counts[1:]))
    for (day, hour), sums in hours.items():
        assert found.posts[day * 24 + hour] == len(sums)
        assert found.typical[day * 24 + hour] == sum(sums) / len(sums)
    assert found.all_posts == sum(map(len, hours.values()))
    span = Span(data.today - 29, data.today)
    order = dashboard.posts(data, Choice(span), Figure.VIEWS)
    listed = [data.items[place].content_id for place in order]
    inside = [
        f"piece {item}"
        for item in range(len(world.pieces))
        if (went_out := naive.published(item)) and span.first <= went_out.toordinal() <= span.last
    ]
    assert sorted(listed) == sorted(inside)
    counts = [data.totals[0][place] for place in order]
    told_of = [count for count in counts if count is not None]
    assert told_of == sorted(told_of, reverse=True)
    assert counts[: len(told_of)] == told_of
    for place, count in zip(order, counts, strict=True):
        number = int(data.items[place].content_id.removeprefix("piece "))
        taken, platform = naive.taken.get(number), world.pieces[number].platform
        is_told = taken is not None and naive.reports(platform, 0)
        assert count == (taken[max(taken)].counts[0] if taken and is_told else None)


_TOMORROW = World(
    [Piece("tiktok", None, NOW)] * 2,
    [Raw(1, TODAY, datetime(2026, 11, 21, 18, 30, tzinfo=UTC), (0, 0, 0, 0), 0)],
)
"""A service whose clock is ahead counted on a day that hasn't begun yet in Kolkata."""


@given(worlds(), zones)
@example(_TOMORROW, ZoneInfo("Asia/Kolkata"))
@settings(max_examples=settings().max_examples // 2)
def test_a_curve_goes_through_the_samples_of_its_post(world: World, zone: ZoneInfo) -> None:
    told, data = read(world, zone)
    naive = Naive(world, zone)
    for place, item in enumerate(data.items):
        number = int(item.content_id.removeprefix("piece "))
        published = naive.published(number)
        found = load_curve(told.packs, data, place, Figure.LIKES, WallClock(zone))
        told_ages = {
            (day - published).days: raw.counts[1]
            for day, raw in naive.taken[number].items()
            if published and 0 <= (day - published).days < 120
        }
        assert {age: value for age, value in enumerate(found.own) if value is not None} == told_ages
        own = [one for one in range(len(data.items)) if data.item_source[one] == data.item_source[place]]
        by_age: dict[int, list[int]] = defaultdict(list)
        for other in own:
            sibling = int(data.items[other].content_id.removeprefix("piece "))
            if began := naive.published(sibling):
                for day, raw in naive.taken[sibling].items():
                    by_age[(day - began).days].append(raw.counts[1])
        assert list(found.median) == [
            median(by_age[age]) if age in by_age else None for age in range(len(found.own))
        ]


def test_the_last_sample_of_a_day_counts_and_a_whole_platform_tells_followers() -> None:
    day, zone = TODAY - timedelta(days=3), ZoneInfo("Europe/Lisbon")
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    samples = [
        Raw(0, day, noon, (10, 1, 0, 0), 500),
        Raw(0, day, noon + timedelta(hours=1), (30, 2, 0, 0), 0),
        Raw(1, day + timedelta(days=1), noon + timedelta(days=1), (7, 0, 0, 0), 0),
        Raw(0, day + timedelta(days=2), noon + timedelta(days=2), (25, 2, 0, 0), 0),
        Raw(1, day + timedelta(days=2), noon + timedelta(days=2), (9, 0, 0, 0), 0),
    ]
    pieces = [Piece("x", "x 1", noon - timedelta(days=1)), Piece("x", "x 1", noon - timedelta(days=60))]
    engine, now = stored(World(pieces, samples)), round(NOW.timestamp() * 1_000)
    with engine.begin() as rows:
        whole = {"id": "whole", "platform": "tiktok", "content_id": None, "metric_date": day.isoformat()}
        counts = dict.fromkeys(("views", "likes", "comments", "shares"), 0)
        rows.execute(insert(metrics).values(**whole, **counts, subscribers=900, created_at=noon))
        while pack_some(rows, TODAY):
            pass
        told = Told(list(read_packs(rows, TODAY)), read_items(rows, 0), None, {}, now, now)
        assert load(told, WallClock(zone)) is None  # it must be known what the platform's sample is of
        data = load(told._replace(sampled=read_sampled(rows)), WallClock(zone))
    engine.dispose()
    assert data is not None
    choice = Choice(Span(day.toordinal(), day.toordinal() + 2))
    (line,) = dashboard.lines(data, choice, Figure.VIEWS)
    assert line.values == [30, 0, -5 + 2]  # an old post's first sample begins its count
    levels = {one.source.key: one.values for one in dashboard.lines(data, choice, Figure.FOLLOWERS)}
    assert levels == {"x 1": [500] * 3, "tiktok:": [900] * 3}
    assert dashboard.tile(data, choice, Figure.VIEWS).total == 27
    assert data.totals[0] == [9, 25]  # the older post comes first


def test_the_scale_of_the_hours_ends_at_the_best_one() -> None:
    """An hour with one viral post isn't the best, so it mustn't look like it."""
    found = dashboard.Heat([10.0, 30.0, None], [3, 1, 0], best=0)
    assert found.most == 10
    assert [found.is_rated(hour) for hour in range(3)] == [True, False, False]
    assert found._replace(best=None).most == 30
