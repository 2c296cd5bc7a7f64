"""Headings of the history: days of this week, the last week, and months."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.history.model import next_day, sections
from app.language import use
from app.workspace.clock import to_millis

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 11, 27, 15, 0, tzinfo=LISBON)
"""A Friday."""


def at(*moment: int, zone: ZoneInfo = LISBON) -> int:
    return to_millis(datetime(*moment, tzinfo=zone))  # type: ignore[arg-type,misc]


def test_this_week_has_a_heading_a_day_and_older_posts_one_a_week_or_month() -> None:
    moments = [
        at(2026, 11, 27, 9, 0),
        at(2026, 11, 26, 23, 59),
        at(2026, 11, 26, 0, 0),
        at(2026, 11, 24, 8, 0),
        at(2026, 11, 22, 8, 0),
        at(2026, 11, 16, 8, 0),
        at(2026, 11, 15, 23, 0),
        at(2026, 10, 3, 8, 0),
        at(2025, 12, 31, 8, 0),
    ]
    found = [(one.title, one.detail, one.first) for one in sections(moments, NOW)]
    assert found == [
        ("Today", "Fri 27 Nov", 0),
        ("Yesterday", "Thu 26 Nov", 1),
        ("Tuesday", "24 Nov", 3),
        ("Last week", "16 – 22 Nov", 4),  # noqa: RUF001  a range
        ("Earlier in November", "", 6),
        ("October", "", 7),
        ("December 2025", "", 8),
    ]


@pytest.mark.parametrize(
    ("zone", "title"),
    [("Europe/Lisbon", "Yesterday"), ("Asia/Tokyo", "Today"), ("America/Lima", "Today")],
)
def test_days_are_those_of_the_calendars_zone(zone: str, title: str) -> None:
    now = datetime(2026, 11, 27, 4, 30, tzinfo=UTC).astimezone(ZoneInfo(zone))
    moment = datetime(2026, 11, 26, 15, 30, tzinfo=UTC)
    assert [one.title for one in sections([to_millis(moment)], now)] == [title]


def test_a_clock_ahead_of_ours_publishes_today() -> None:
    assert [one.title for one in sections([at(2026, 11, 29, 9, 0), at(2026, 11, 27, 9, 0)], NOW)] == ["Today"]


def test_a_range_over_two_months_names_both() -> None:
    now = datetime(2026, 12, 9, 12, 0, tzinfo=LISBON)
    (last_week,) = sections([at(2026, 12, 1, 9, 0)], now)
    assert last_week.detail == "30 Nov – 6 Dec"  # noqa: RUF001  a range


def test_headings_are_german_in_german() -> None:
    use("de")
    try:
        found = sections([at(2026, 11, 26, 9, 0), at(2026, 11, 17, 9, 0)], NOW)
        assert [one.title for one in found] == ["Gestern", "Letzte Woche"]
        assert found[1].detail.startswith("16. – ")  # noqa: RUF001  a range
    finally:
        use("en")


@given(
    st.lists(st.integers(at(2024, 1, 1), at(2026, 12, 31)), max_size=60),
    st.sampled_from(["Europe/Lisbon", "America/Sao_Paulo", "Asia/Beirut", "Pacific/Apia"]),
)
def test_each_record_is_below_exactly_one_heading_and_each_heading_is_there_once(
    moments: list[int], zone: str
) -> None:
    """Also where midnight is skipped when the clocks change, as in Beirut."""
    newest_first = sorted(moments, reverse=True)
    found = sections(newest_first, NOW.astimezone(ZoneInfo(zone)))
    starts = [section.first for section in found]
    assert starts == sorted(set(starts))
    assert (starts[:1] == [0]) is bool(moments)
    titles = [section.title for section in found]
    assert len(titles) == len(set(titles))


def test_headings_change_at_midnight_of_the_zone() -> None:
    assert next_day(NOW) == datetime(2026, 11, 28, tzinfo=LISBON)
