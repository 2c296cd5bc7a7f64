"""The next post in words, and what is left until then."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.background.countdown import coming, left
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost

LISBON = ZoneInfo("Europe/Lisbon")
NOW = to_millis(datetime(2026, 11, 21, 22, 5, tzinfo=LISBON))


def post(day: int, hour: int, minute: int) -> PlannedPost:
    at = to_millis(datetime(2026, 11, day, hour, minute, tzinfo=LISBON))
    return PlannedPost(
        "one", at, "me", PostingPlatform.LINKEDIN, PostType.TEXT, PostStatus.SCHEDULED, "Words"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "in less than a minute"),
        (59.9, "in less than a minute"),
        (60, "in 1 minute"),
        (1_559, "in 25 minutes"),
        (3_600, "in 1 h 0 min"),
        (86_399, "in 23 h 59 min"),
        (86_400, "in 1 day"),
        (10 * 86_400, "in 10 days"),
    ],
)
def test_what_is_left(seconds: float, words: str) -> None:
    assert left(seconds) == words


def test_today_needs_no_day() -> None:
    said = coming(post(21, 22, 30), NOW, LISBON, practice=False)
    assert said == "Next: 22:30 LinkedIn, in 25 minutes"


def test_another_day_is_named_and_a_stand_in_is_said_to_be_one() -> None:
    said = coming(post(22, 9, 0), NOW, LISBON, practice=True)
    assert said == "Next: Sun 22 Nov 09:00 LinkedIn (practice), in 10 h 55 min"


def test_nothing_is_said_to_be_nothing() -> None:
    assert coming(None, NOW, LISBON, practice=False) == "Nothing is scheduled"
