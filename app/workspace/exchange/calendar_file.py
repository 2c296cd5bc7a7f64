"""Posts as an iCalendar file (RFC 5545), for calendar programs. Pure."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from icalendar import Calendar, Event

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost

_PRODUCT = "-//Kalends//Kalends//EN"
_LENGTH = timedelta(minutes=15)
"""A post has no length; calendars do not show an event without one."""

Describe = Callable[[PlannedPost], str]


def calendar_file(posts: Iterable[PlannedPost], name: str, describe: Describe, now: datetime) -> bytes:
    """The posts as events.

    Args:
        posts: In any order; cancelled ones are marked so.
        name: What a calendar program calls the calendar.
        describe: What stands below an event's title.
        now: The aware time of the export.

    Returns:
        UTF-8 with lines folded and escaped as the format wants it.
    """
    calendar = Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", name)
    for post in sorted(posts, key=lambda post: (post.at, post.key)):
        calendar.add_component(_event(post, describe(post), now))
    written: bytes = calendar.to_ical()
    return written


def _event(post: PlannedPost, description: str, now: datetime) -> Event:
    starts = datetime.fromtimestamp(post.at / 1_000, UTC)
    event = Event()
    event.add("uid", f"{post.key}@kalends")
    event.add("dtstamp", now)
    event.add("dtstart", starts)
    event.add("dtend", starts + _LENGTH)
    event.add("summary", post.headline or "Post without text")
    event.add("description", description)
    event.add("categories", [str(post.platform)])
    event.add("status", "CANCELLED" if post.status is PostStatus.CANCELLED else "CONFIRMED")
    event.add("transp", "TRANSPARENT")  # nobody is busy while a post goes out
    return event
