"""Our clock may be ahead of a platform's: what it published is found all the same."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import Adapter
from app.platforms.base import LookBack, LookBackOutcome, Published
from app.platforms.http import TheirClock
from tests.platforms.scripted import NOW, Script, json_answer, publication

MINUTE = timedelta(minutes=1)


def test_without_an_answer_two_minutes_are_allowed_for() -> None:
    assert TheirClock(lambda: NOW).since(NOW) == NOW - 2 * MINUTE


@pytest.mark.parametrize(
    ("theirs", "earlier"),
    [(NOW - 10 * MINUTE, 12 * MINUTE), (NOW, 2 * MINUTE), (NOW + timedelta(hours=3), 2 * MINUTE)],
)
def test_it_is_asked_for_earlier_things_and_never_for_later_ones(
    theirs: datetime, earlier: timedelta
) -> None:
    clock = TheirClock(lambda: NOW)
    for _ in range(2):
        clock.note({"date": format_datetime(theirs, usegmt=True)})
    assert clock.since(NOW) == NOW - earlier


@pytest.mark.parametrize(
    "date",
    [
        "",
        "yesterday",
        "Mon, 99 Foo 2026 12:00:00 GMT",
        "\x00" * 50,
        "Wed, 21 Oct 2015 07:28:00 +99999999999999999",
        "Wed, 21 Oct 99999999999999999999 07:28:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 +2359",
    ],
)
def test_what_is_no_date_tells_nothing(date: str) -> None:
    clock = TheirClock(lambda: NOW)
    assert clock.note({"date": date}) is None
    assert clock.since(NOW) == NOW - 2 * MINUTE


def test_the_second_look_knows_what_the_first_one_learned() -> None:
    """Absence counts only when a second look agrees, so that the first may be wrong."""
    date = format_datetime((NOW - 10 * MINUTE).astimezone(UTC), usegmt=True)
    nothing = {"data": [], "meta": {"result_count": 0}}
    item = {"id": "17", "text": "Good morning", "created_at": "2026-11-21T11:50:00Z"}
    script = Script(
        json_answer(200, nothing, date=date),
        json_answer(200, {"data": [item], "meta": {"result_count": 1}}, date=date),
    )

    async def looks(adapter: Adapter) -> list[LookBack]:
        post = publication("42")
        return [await adapter.look_back(post, since=NOW, known=()) for _ in range(2)]

    assert script.run(ConnectionPlatform.X, looks) == [
        LookBack(LookBackOutcome.ABSENT),
        LookBack(LookBackOutcome.FOUND, Published("17", "https://x.com/robin/status/17")),
    ]
    asked = [parse_qs(urlsplit(str(request.url)).query)["start_time"] for request in script.requests]
    assert asked == [["2026-11-21T11:58:00Z"], ["2026-11-21T11:48:00Z"]]
