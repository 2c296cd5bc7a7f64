"""Weekly slots: where they fall, which are free, and that they are kept."""

from concurrent.futures import Future
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.database import Database, DiskFullError
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.slots.slots import TAKEN_WITHIN_MS, Slot, next_free_slots, slot_times
from app.workspace.time.wall import MINUTE_MS, Range, WallClock, weekday
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import opened

WEEK_MS = 7 * 24 * HOUR
slots = st.frozensets(
    st.builds(Slot, st.sampled_from("ab"), st.integers(0, 6), st.integers(0, 1_439)), max_size=10
)
zones = st.sampled_from(["UTC", "Europe/Lisbon", "Australia/Lord_Howe", "America/New_York"]).map(ZoneInfo)
starts = st.integers(START, START + 52 * WEEK_MS)


def post(key: str, at: int, account: str = "a", status: PostStatus = PostStatus.SCHEDULED) -> PlannedPost:
    return PlannedPost(key, at, account, PostingPlatform.X, PostType.TEXT, status, "")


@given(slots, zones, starts, st.integers(1, 21))
def test_every_slot_falls_once_a_week_at_its_time(
    chosen: frozenset[Slot], zone: ZoneInfo, start: int, days: int
) -> None:
    clock = WallClock(zone)
    span = Range(start, start + days * 24 * HOUR)
    times = slot_times(chosen, clock, span, Timeline())
    assert [time.at for time in times] == sorted(time.at for time in times)
    for time in times:
        place = clock.place(time.at)
        assert time.at in span
        assert Slot(time.account_key, weekday(place.day), place.minute) in chosen
    halves = [Range(start, start + days * 12 * HOUR), Range(start + days * 12 * HOUR, span.end)]
    split = [time for half in halves for time in slot_times(chosen, clock, half, Timeline())]
    assert split == times


@given(slots, zones, starts, st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from("ab")), max_size=20))
def test_the_next_free_slot_is_free_and_none_before_it_is(
    chosen: frozenset[Slot], zone: ZoneInfo, start: int, taken: list[tuple[int, str]]
) -> None:
    clock = WallClock(zone)
    posts = Timeline(post(f"p{n}", start + minute * MINUTE_MS, key) for n, (minute, key) in enumerate(taken))
    found = next_free_slots(chosen, clock, posts, after=start, count=3)
    assert len(found) == (3 if chosen else 0)
    for time in found:
        near = posts.between(time.at - TAKEN_WITHIN_MS + 1, time.at + TAKEN_WITHIN_MS)
        assert all(one.account_key != time.account_key for one in near)
    if found:
        before = slot_times(chosen, clock, Range(start + 1, found[0].at), posts)
        assert all(not time.is_free for time in before)


def test_what_is_cancelled_takes_no_slot_and_another_account_neither() -> None:
    clock = WallClock(ZoneInfo("UTC"))
    slot = Slot("a", weekday(clock.place(START).day), clock.place(START).minute)
    span = Range(START, START + 1)
    for planned, key in (
        (post("p", START + 10 * MINUTE_MS), "p"),
        (post("p", START + 15 * MINUTE_MS), None),
        (post("p", START, status=PostStatus.CANCELLED), None),
        (post("p", START, account="b"), None),
    ):
        assert [time.post_key for time in slot_times([slot], clock, span, Timeline([planned]))] == [key]


async def test_slots_are_kept(tmp_path: Path) -> None:
    service = ModelService(HandClock())

    async with opened(tmp_path, service) as workspace:
        await workspace.slots.set("a", [Slot("a", 4, 540), Slot("a", 0, 600), Slot("b", 0, 0)])
        await workspace.slots.set("b", [Slot("b", 0, 300)])
        assert any(changes.slots for changes in workspace.heard)
        with pytest.raises(Problem):
            await workspace.slots.set("a", [Slot("a", 7, 0)])
    async with opened(tmp_path, service) as workspace:
        assert workspace.slots.all() == (Slot("b", 0, 300), Slot("a", 0, 600), Slot("a", 4, 540))
        await workspace.slots.set("a", [])
    async with opened(tmp_path, service) as workspace:
        assert workspace.slots.all() == (Slot("b", 0, 300),)


async def test_slots_that_could_not_be_saved_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_database: Database, _work: object) -> Future[None]:
        refused: Future[None] = Future()
        refused.set_exception(DiskFullError("full"))
        return refused

    async with opened(tmp_path, ModelService(HandClock())) as workspace:
        await workspace.slots.set("a", [Slot("a", 0, 600)])
        with monkeypatch.context() as full:
            full.setattr(Database, "submit", refuse)
            with pytest.raises(Problem):
                await workspace.slots.set("a", [Slot("a", 4, 540)])
        assert workspace.slots.all() == (Slot("a", 0, 600),)
