from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.exchange.calendar_file import calendar_file
from app.workspace.posts.planned import PlannedPost

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
START = 1_800_000_000_000

posts = st.lists(
    st.builds(
        PlannedPost,
        key=st.uuids().map(str),
        at=st.integers(START, START + 10**10),
        account_key=st.just("studio"),
        platform=st.sampled_from(PostingPlatform),
        post_type=st.sampled_from(PostType),
        status=st.sampled_from(PostStatus),
        headline=st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=140).map(
            str.strip
        ),
    ),
    unique_by=lambda post: post.key,
    max_size=20,
)


@given(posts)
def test_every_post_can_be_read_back(planned: list[PlannedPost]) -> None:
    written = calendar_file(planned, "Studio", lambda post: f"On {post.platform}; see, \\ there", NOW)
    events = {str(event["uid"]): event for event in Calendar.from_ical(written).walk("VEVENT")}
    assert events.keys() == {f"{post.key}@kalends" for post in planned}
    for post in planned:
        event = events[f"{post.key}@kalends"]
        assert event.decoded("dtstart").timestamp() == post.at // 1_000
        assert str(event["summary"]) == (post.headline or "Post without text")
        assert str(event["description"]) == f"On {post.platform}; see, \\ there"
        is_cancelled = str(event["status"]) == "CANCELLED"
        assert is_cancelled == (post.status is PostStatus.CANCELLED)


@given(posts)
def test_no_line_is_longer_than_the_format_allows(planned: list[PlannedPost]) -> None:
    written = calendar_file(planned, "Studio", lambda post: post.headline * 3, NOW)
    assert all(len(line) <= 75 for line in written.split(b"\r\n"))
