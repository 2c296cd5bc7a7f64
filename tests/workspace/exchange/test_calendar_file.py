"""Posts in an iCalendar file, as another program reads them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from icalendar import Calendar, Event

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.clock import LAST_MOMENT, to_millis
from app.workspace.exchange.calendar_file import Words, calendar_file
from app.workspace.posts.planned import PlannedPost

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)

words = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=140).map(str.strip)
posts = st.lists(
    st.builds(
        PlannedPost,
        key=st.uuids().map(str),
        at=st.integers(0, LAST_MOMENT),
        account_key=st.just("studio"),
        platform=st.sampled_from(PostingPlatform),
        post_type=st.sampled_from(PostType),
        status=st.sampled_from(PostStatus),
        headline=words,
    ),
    unique_by=lambda post: post.key,
    max_size=20,
)


def one(at: int, headline: str = "words", status: PostStatus = PostStatus.SCHEDULED) -> PlannedPost:
    return PlannedPost("k", at, "studio", PostingPlatform.LINKEDIN, PostType.TEXT, status, headline)


def title_of(post: PlannedPost) -> Words:
    return Words(post.headline, "")


def events(content: bytes) -> dict[str, Event]:
    calendar = Calendar.from_ical(content)
    assert not calendar.errors
    found = {str(event["uid"]).removesuffix("@kalends"): event for event in calendar.events}
    assert not any(event.errors for event in found.values())
    return found


@example([one(0, "\ufeff")], "")
@example([one(0, r"\N")], r"C:\New \\N")
@given(posts, words)
def test_every_post_can_be_read_back(planned: list[PlannedPost], text: str) -> None:
    text = f"Said; so, \\ there\n{text}"
    read = events(calendar_file(planned, "Studio", lambda post: Words(post.headline, text), NOW))
    assert read.keys() == {post.key for post in planned}
    for post in planned:
        event = read[post.key]
        starts = event.decoded("dtstart")
        assert starts.utcoffset().total_seconds() == 0
        assert to_millis(starts) == post.at // 1_000 * 1_000
        assert event.decoded("duration").total_seconds() == 900
        assert str(event["summary"]) == (post.headline.lstrip("\ufeff") or "Post without text")
        assert str(event["description"]) == text


@given(posts)
def test_no_line_is_longer_than_the_format_allows(planned: list[PlannedPost]) -> None:
    written = calendar_file(planned, "Studio", lambda post: Words(post.headline, post.headline * 3), NOW)
    assert all(len(line) <= 75 for line in written.split(b"\r\n"))
    written.decode()


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_a_platform_says_the_file_stays_a_file(title: str, text: str) -> None:
    read = events(calendar_file([one(0)], title, lambda _: Words(title, text), NOW))
    written = str(read["k"]["summary"]) + str(read["k"]["description"])
    assert not set(written) & {chr(code) for code in (*range(9), 11, *range(13, 32), 127)}


def test_a_line_of_the_format_in_a_text_stays_text() -> None:
    forged = "Hello\r\nEND:VEVENT\nBEGIN:VALARM\rACTION:DISPLAY"
    content = calendar_file([one(0)], forged, lambda _: Words(forged, forged), NOW)
    assert str(events(content)["k"]["summary"]) == forged.replace("\r\n", "\n").replace("\r", "\n")
    assert b"\r\nBEGIN:VALARM" not in content


@pytest.mark.parametrize("fold", [0, 1])
@pytest.mark.parametrize("zone", ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe"])
def test_an_hour_that_comes_twice_is_told_apart(zone: str, fold: int) -> None:
    changes = {"Europe/Lisbon": (2026, 10, 25), "America/New_York": (2026, 11, 1)}
    day = changes.get(zone, (2026, 4, 5))
    local = datetime(*day, 1, 45, tzinfo=ZoneInfo(zone), fold=fold)
    post = one(to_millis(local.astimezone(UTC)))
    content = calendar_file([post], "Studio", title_of, NOW, zone)
    shown = events(content)["k"].decoded("dtstart").astimezone(ZoneInfo(zone))
    assert (shown.hour, shown.minute, shown.fold) == (1, 45, fold)
    assert f"X-WR-TIMEZONE:{zone}".encode() in content


@pytest.mark.parametrize(
    ("post", "status"),
    [
        (one(0), "CONFIRMED"),
        (one(0, status=PostStatus.POSTED), "CONFIRMED"),
        (one(0, status=PostStatus.CANCELLED), "CANCELLED"),
        (one(0, status=PostStatus.FAILED), "TENTATIVE"),
        (one(0)._replace(may_be_live=True), "TENTATIVE"),
    ],
)
def test_a_state_is_told_in_the_words_of_the_format(post: PlannedPost, status: str) -> None:
    event = events(calendar_file([post], "Studio", title_of, NOW))["k"]
    assert str(event["status"]) == status
    assert event.categories == ["LinkedIn"]
