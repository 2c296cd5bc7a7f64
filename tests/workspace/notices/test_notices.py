"""Notifications about what happens at a service: soon, complete, and never too many."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from app.contract.base import format_timestamp
from app.workspace.clock import Pace, from_millis
from app.workspace.notices.notice import News, Notice, NoticeKind
from app.workspace.notices.notices import Gathering, Rhythm
from tests.workspace.held_service import HeldService
from tests.workspace.model_service import HOUR, START, HandClock, ModelService, attempt
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import QUICK, Opened, opened, until

RHYTHM = Rhythm(3.0, dict.fromkeys(NoticeKind, 60.0) | {NoticeKind.PUBLISHED: 600.0})
NEWS = st.builds(News, st.sampled_from(NoticeKind), st.sampled_from("abcdefgh"), missed=st.booleans())
PACE = replace(QUICK, notices=0.03, notices_again=0.3)


def test_thirty_posts_within_an_hour_are_told_seven_times() -> None:
    gathering, told = Gathering(RHYTHM), []
    for second in range(3_700):
        if second % 120 == 0 and second < 3_600:
            gathering.add(News(NoticeKind.PUBLISHED, f"post-{second}"), second)
        told += gathering.take(second)
    told += gathering.take(10_000)
    assert [len(group) for group in told] == [1, 5, 5, 5, 5, 5, 4]


@given(st.lists(st.tuples(NEWS, st.integers(0, 90))))
def test_everything_is_told_together_with_its_like_and_never_too_often(
    added: list[tuple[News, int]],
) -> None:
    gathering, now = Gathering(RHYTHM), 0.0
    told: dict[tuple[NoticeKind, bool], list[tuple[float, list[News]]]] = {}
    for news, wait in added:
        gathering.add(news, now)
        now += wait
        for group in gathering.take(now):
            told.setdefault((group[0].kind, group[0].missed), []).append((now, group))
    while (pause := gathering.wait(now)) is not None:
        now += pause
        groups = gathering.take(now)
        assert groups
        for group in groups:
            told.setdefault((group[0].kind, group[0].missed), []).append((now, group))
    for (kind, missed), tellings in told.items():
        assert all((one.kind, one.missed) == (kind, missed) for _, group in tellings for one in group)
        times = [at for at, _ in tellings]
        assert all(b - a >= RHYTHM.again[kind] - 1e-6 for a, b in pairwise(times))
    assert {one for group in told.values() for _, each in group for one in each} == {one for one, _ in added}


def test_a_group_of_which_more_is_to_come_waits() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.UPLOADED, "a"), 0)
    assert gathering.take(4, lambda _group: inf) == []
    gathering.add(News(NoticeKind.UPLOADED, "b"), 5)
    assert [len(group) for group in gathering.take(7)] == [2]


def test_a_group_waits_no_longer_than_patience_lasts() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.FAILED, "a"), 0)
    now, pauses = 0.0, []
    while (pause := gathering.wait(now)) is not None:
        pauses.append(pause)
        now += pause
        gathering.take(now, lambda _group: 4.0)
    assert pauses == [3.0, 3.0, 1.0]


def test_what_is_over_is_not_told() -> None:
    gathering = Gathering(RHYTHM)
    gathering.add(News(NoticeKind.FAILED, "a"), 0)
    gathering.drop(lambda news: news.key == "a")
    assert gathering.wait(0) is None
    assert gathering.take(100) == []


@dataclass
class Person:
    """Hears what is told, and chooses what not."""

    heard: list[Notice] = field(default_factory=list)
    left_out: list[News] = field(default_factory=list)
    wants: Callable[[News], bool] = lambda _news: True

    def leaves_out(self, news: News) -> bool:
        if self.wants(news):
            return False
        self.left_out.append(news)
        return True

    def titles(self) -> list[str]:
        return [notice.title for notice in self.heard]


@asynccontextmanager
async def told(
    folder: Path, service: ModelService, pace: Pace = PACE
) -> AsyncIterator[tuple[Opened, Person]]:
    person = Person()
    async with opened(folder, service, pace=pace) as workspace:
        workspace.notices.listen(person.heard.append, person.leaves_out)
        await workspace.refresh()
        yield workspace, person


def publish(service: ModelService, key: str, *, at: int | None = None) -> None:
    moment = format_timestamp(from_millis(service.clock() if at is None else at))
    service.posts[UUID(key)].update(status="posted", posted_at=moment)


def fail(service: ModelService, key: str) -> None:
    service.posts[UUID(key)].update(status="failed")


async def quiet(workspace: Opened) -> None:
    """Whatever was to be told is told by then."""
    await workspace.refresh()
    await asyncio.sleep(0.25)


async def test_a_post_that_goes_out_is_told_with_the_way_to_it(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    key = service.add_post(service.add_account(), START, "A year of one pattern")

    async with told(tmp_path, service) as (_, person):
        publish(service, key)
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.kind is NoticeKind.PUBLISHED
        assert (notice.title, notice.text) == ("Published on X", "A year of one pattern\nAccount 1")
        assert (notice.action.verb, notice.action.subject) == ("show_post", key)


async def test_several_at_once_are_told_as_one(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    account = service.add_account()
    keys = [service.add_post(account, START + number, f"Part {number}") for number in range(5)]

    async with told(tmp_path, service) as (workspace, person):
        for key in keys:
            publish(service, key)
        await workspace.refresh()
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.title == "5 posts published"
        assert notice.text.endswith("\nand 2 more")
        assert set(notice.action.subject.split()) == set(keys)


async def test_a_failure_is_told_with_its_reason_and_once(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    key = service.add_post(service.add_account(), START, "Fitting notes")

    async with told(tmp_path, service) as (_, person):
        fail(service, key)
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.title == "Not published on X"
        assert notice.text == "Fitting notes\nThe service didn't say why."
        assert (notice.action.verb, notice.action.subject) == ("show_post", key)
    async with told(tmp_path, service) as (workspace, person):
        await quiet(workspace)
        assert person.heard == []


async def test_a_failure_waits_for_its_reason(tmp_path: Path) -> None:
    service = HeldService(HandClock(), practice=False)
    key = service.add_post(service.add_account(), START, "Fitting notes")
    service.attempts = {UUID(key): [attempt(key, "unknown")]}

    async with told(tmp_path, service) as (workspace, person):
        with service.hold("GET", "/attempts"):
            fail(service, key)
            await until(lambda: service.waiting)
            await asyncio.sleep(0.25)
            assert person.heard == []
        await until(lambda: person.heard)
        assert person.titles() == ["Check whether this was published on X"]
        await quiet(workspace)
        assert len(person.heard) == 1


async def test_a_failure_whose_reason_never_comes_is_told_without(tmp_path: Path) -> None:
    service = HeldService(HandClock(), practice=False, attempts={})
    key = service.add_post(service.add_account(), START, "Fitting notes")

    async with told(tmp_path, service, replace(PACE, notices_reason=0.1)) as (_, person):
        with service.hold("GET", "/attempts"):
            fail(service, key)
            await until(lambda: person.heard)
            assert person.heard[0].text == "Fitting notes"


async def test_at_first_nothing_is_told_of_what_there_is(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    account = service.add_account()
    service.add_account("linkedin", available=False)
    fail(service, service.add_post(account, START - HOUR))
    publish(service, service.add_post(account, START - HOUR), at=START - HOUR)

    async with told(tmp_path, service) as (workspace, person):
        await quiet(workspace)
        assert person.heard == []


async def test_failures_while_it_was_closed_are_told_in_one_and_what_went_out_is_not(tmp_path: Path) -> None:
    clock = HandClock()
    service = ModelService(clock)
    account = service.add_account()
    keys = [service.add_post(account, START + HOUR, f"Part {number}") for number in range(6)]

    async with told(tmp_path, service) as (workspace, person):
        await until(lambda: len(workspace.posts) == 6)
        await quiet(workspace)
    clock.now += 2 * HOUR
    for key in keys[:3]:
        fail(service, key)
    for key in keys[3:]:
        publish(service, key, at=START + HOUR)
    async with told(tmp_path, service) as (workspace, person):
        await until(lambda: person.heard)
        await quiet(workspace)
        assert person.titles() == ["3 posts failed while you were away"]
    async with told(tmp_path, service) as (workspace, person):
        await quiet(workspace)
        assert person.heard == []


async def test_after_sleep_what_went_out_meanwhile_is_not_told_and_what_goes_out_late_is(
    tmp_path: Path,
) -> None:
    clock = HandClock()
    service = ModelService(clock)
    account = service.add_account()
    early = service.add_post(account, START + HOUR, "While it slept")
    late = service.add_post(account, START + HOUR, "When it woke")

    async with told(tmp_path, service) as (workspace, person):
        await until(lambda: len(workspace.posts) == 2)
        await quiet(workspace)
        clock.now += 3 * HOUR
        publish(service, early, at=START + HOUR)
        publish(service, late)
        await until(lambda: person.heard)
        await quiet(workspace)
        (notice,) = person.heard
        assert notice.action.subject == late


async def test_posts_that_are_late_because_this_computer_slept_say_so(tmp_path: Path) -> None:
    clock = HandClock()
    service = ModelService(clock)
    account = service.add_account()
    keys = [service.add_post(account, START + HOUR, f"Part {number}") for number in (1, 2)]
    service.add_post(account, START + 9 * HOUR, "Later")

    person = Person()
    async with opened(tmp_path, service, pace=PACE, runs_here=True) as workspace:
        workspace.notices.listen(person.heard.append, person.leaves_out)
        await workspace.refresh()
        await quiet(workspace)
        clock.now = START + HOUR + 40 * 60_000
        for key in keys:
            publish(service, key)
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.title == "2 posts published up to 40 minutes late"
        assert notice.text.splitlines() == [
            "This computer was asleep at the planned time.",
            "X: Part 1",
            "X: Part 2",
        ]


async def test_in_quiet_hours_news_wait_and_what_is_over_by_then_is_not_told(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    account = service.add_account()
    failed, mended = (service.add_post(account, START, text) for text in ("Failed", "Mended"))

    person, is_night = Person(), True
    async with opened(tmp_path, service, pace=replace(PACE, notices_look=0.02)) as workspace:
        workspace.notices.listen(person.heard.append, person.leaves_out, lambda: is_night)
        await workspace.refresh()
        for key in (failed, mended):
            fail(service, key)
        await quiet(workspace)
        service.posts[UUID(mended)].update(status="scheduled")
        await quiet(workspace)
        assert person.heard == []
        is_night = False
        await until(lambda: person.heard)
        assert [(notice.title, notice.action.subject) for notice in person.heard] == [
            ("Not published on X", failed)
        ]


async def test_an_account_that_ends_is_told_with_the_way_back(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    key = service.add_account("linkedin")

    async with told(tmp_path, service) as (workspace, person):
        service.connections[0]["is_available"] = False
        await workspace.refresh()
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.title == "Reconnect LinkedIn"
        assert (notice.action.verb, notice.action.subject) == ("reconnect", key)


async def test_what_is_left_out_is_not_told_later(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    key = service.add_post(service.add_account(), START)

    async with told(tmp_path, service) as (workspace, person):
        person.wants = lambda _news: False
        fail(service, key)
        await until(lambda: person.left_out)
        person.wants = lambda _news: True
        await quiet(workspace)
        assert person.heard == []


async def test_what_is_settled_before_it_is_told_is_not_told(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    person = Person()
    async with opened(tmp_path, service, pace=replace(PACE, notices=60)) as workspace:
        gathering = workspace.notices._gathering
        workspace.notices.listen(person.heard.append, person.leaves_out)
        await workspace.refresh()
        for available in (False, True):
            service.connections[0]["is_available"] = available
            await workspace.refresh()
            await until(lambda: (gathering.wait(0) is None) is available)  # noqa: B023  not used later
        assert person.heard == []


async def test_what_happens_before_anybody_listens_waits(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    key = service.add_post(service.add_account(), START)

    person = Person()
    async with opened(tmp_path, service, pace=PACE) as workspace:
        await workspace.refresh()
        fail(service, key)
        await quiet(workspace)
        workspace.notices.listen(person.heard.append, person.leaves_out)
        await until(lambda: person.titles() == ["Not published on X"])


async def test_files_that_are_stored_are_told_when_all_are(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with told(tmp_path, service) as (workspace, person):
        paths = [tmp_path / f"part-{number}.png" for number in range(4)]
        for number, path in enumerate(paths):
            Image.new("RGB", (80, 40), (number, 0, 0)).save(path)
        service.faults.append(("POST", "500"))  # the first file is stored after the others
        await workspace.media.add_files(paths)
        await until(lambda: person.heard)
        assert person.titles() == ["4 files uploaded"]
        assert person.heard[0].text.splitlines() == [path.name for path in paths]


async def test_a_stand_in_never_looks_like_the_real_thing(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=True, offers=("media",))
    key = service.add_post(service.add_account(), START)

    async with told(tmp_path, service) as (_, person):
        publish(service, key)
        await until(lambda: person.titles() == ["Published on X (practice)"])


async def test_a_post_that_reaches_the_inbox_is_told_once_with_its_text_to_copy(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    account = service.add_account("tiktok")
    keys = [service.add_post(account, START - 1, text, status="processing") for text in ("Wool", "Silk")]
    for post in service.posts.values():
        post["platform"] = "tiktok"
    tiktok = ModelTikTok(service)

    async with told(tmp_path, service) as (workspace, person):
        tiktok.in_inbox = keys[:1]
        await workspace.tiktok.choose_for_account(account, None)  # asks again which posts wait
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert notice.kind is NoticeKind.IN_INBOX
        assert notice.title == "Finish a post in TikTok's app"
        assert notice.text == "Wool\nAccount 1\nIt's in your inbox there."
        actions = [(one.label, one.verb, one.subject) for one in (notice.action, *notice.others)]
        assert actions == [("Open", "show_post", keys[0]), ("Copy text", "copy_text", keys[0])]
        await quiet(workspace)
        assert len(person.heard) == 1

        publish(service, keys[0])
        await workspace.refresh()
        await until(lambda: len(person.heard) == 2)
        assert person.heard[1].title == "Published on TikTok"


async def test_several_posts_in_inboxes_are_told_together(tmp_path: Path) -> None:
    service = ModelService(HandClock(), practice=False)
    account = service.add_account("tiktok")
    keys = [service.add_post(account, START - 1, text, status="processing") for text in ("Wool", "Silk")]
    for post in service.posts.values():
        post["platform"] = "tiktok"
    tiktok = ModelTikTok(service)
    tiktok.in_inbox = keys

    async with told(tmp_path, service) as (_, person):
        await until(lambda: person.heard)
        (notice,) = person.heard
        assert (notice.title, notice.others) == ("Finish 2 posts in your inboxes", ())
        assert sorted(notice.action.subject.split()) == sorted(keys)
