"""Export of posts as an iCalendar file (RFC 5545), for calendar programs. Pure."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from icalendar import Calendar, Event, vText

from app.contract.enums import PostStatus
from app.language import tr
from app.platforms.cards import name_of
from app.workspace.clock import from_millis
from app.workspace.posts.planned import PlannedPost

_PRODUCT: Final = "-//Kalends//Kalends//EN"
_END: Final = b"END:VCALENDAR\r\n"
_LENGTH: Final = timedelta(minutes=15)
"""Duration of events: posts don't have one, but calendars don't show events without it."""

_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Control characters, which the format can't express, and lone surrogates, which UTF-8 can't."""

_MARK: Final = "\ufeff"
"""A byte order mark at the start of a text, which isn't part of it."""


class Words(NamedTuple):
    """The texts of an event."""

    title: str
    text: str


Describe = Callable[[PlannedPost], Words]


def calendar_file(
    posts: Iterable[PlannedPost], name: str, describe: Describe, now: datetime, zone: str = ""
) -> bytes:
    """Return the posts as events.

    Args:
        posts: In any order; cancelled ones are marked as such, and failed ones as tentative.
        name: The calendar's display name.
        describe: Returns the texts of an event. Leave out the time: it would be wrong in another time zone.
        now: The aware time of the export.
        zone: The IANA name of the calendar's default time zone; all times are written in UTC.

    Returns:
        UTF-8 with folded and escaped lines, as the format requires.
    """
    calendar = Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _Text(_clean(name)))
    if zone:
        calendar.add("x-wr-timezone", vText(zone))
    # One event at a time: freeing a hundred thousand of them together would block all threads.
    ordered = sorted(posts, key=lambda post: (post.at, post.key))
    events = (_event(post, describe(post), now).to_ical() for post in ordered)
    return b"".join((calendar.to_ical().removesuffix(_END), *events, _END))


class _Text(vText):
    r"""Text in which ``\N`` stays two characters.

    WORKAROUND for icalendar 7.3, which writes it as a line break.
    """

    def to_ical(self) -> bytes:
        return rb"\\N".join(vText(part).to_ical() for part in self.split(r"\N"))


def _event(post: PlannedPost, words: Words, now: datetime) -> Event:
    event = Event()
    event.add("uid", f"{post.key}@kalends")
    event.add("dtstamp", now)
    event.add("dtstart", from_millis(post.at))
    event.add("duration", _LENGTH)  # an end could be after the last year
    event.add("summary", _Text(_clean(words.title) or tr("Post without text")))
    event.add("description", _Text(_clean(words.text)))
    event.add("categories", [name_of(post.ruled_by)])
    event.add("status", _status(post))
    event.add("transp", "TRANSPARENT")  # a post doesn't block the user's time
    return event


def _status(post: PlannedPost) -> str:
    if post.status is PostStatus.CANCELLED:
        return "CANCELLED"
    return "TENTATIVE" if post.status is PostStatus.FAILED or post.may_be_live else "CONFIRMED"


def _clean(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _FORBIDDEN.sub("", lines).lstrip(_MARK)
