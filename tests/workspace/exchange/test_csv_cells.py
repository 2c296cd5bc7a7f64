"""Accounts and times in cells: what is found, and what is said about the rest."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.accounts.account import Account
from app.workspace.clock import LAST_MOMENT, to_millis
from app.workspace.exchange.csv_cells import AccountNames, Instants, Issue, UnknownAccountError
from app.workspace.exchange.csv_columns import Column
from app.workspace.time.written import DayOrder
from tests.workspace.exchange.test_csv_checking import (
    LINKEDIN,
    NOW,
    OTHER_X,
    PINTEREST,
    THREADS,
    X,
    account,
)

LONG = "n" * 60
COLON = account("instagram", "colon", "a: b")
TWINS = [account("facebook", f"twin{number}", "Twins") for number in range(2)]
NAMELESS = replace(account("bluesky", "", LONG), handle=None)
ACCOUNTS = (LINKEDIN, X, OTHER_X, PINTEREST, THREADS, COLON, *TWINS, NAMELESS)


@pytest.mark.parametrize(
    ("cell", "platforms", "found"),
    [
        ("maya", "", [OTHER_X]),
        ("@Maya", "", [OTHER_X]),
        ("Maya, M.", "", [OTHER_X]),
        ("x:okafor", "", [X]),
        ("Twitter: @okafor", "", [X]),
        ("okafor", "LinkedIn", [LINKEDIN]),
        ("okafor", "LinkedIn, X", [LINKEDIN, X]),
        ("linkedin", "", [LINKEDIN]),
        ("", "linkedin", [LINKEDIN]),
        ("maya; linkedin", "", [OTHER_X, LINKEDIN]),
        ("maya, maya", "", [OTHER_X]),
        (LINKEDIN.key, "", [LINKEDIN]),
        ("", "", []),
        ("  ", " ; ", []),
        ("x:id-x-maya", "", [OTHER_X]),
        ("ID-X-maya", "", [OTHER_X]),
        ("X : maya", "", [OTHER_X]),
        ("Okafor   studio", "x", [X]),
        ("a: b", "", [COLON]),
        ("maya|a: b\nlinkedin", "", [OTHER_X, COLON, LINKEDIN]),
        ("", "insta; linkedin; IG", [COLON, LINKEDIN]),
    ],
)
def test_accounts_are_found(cell: str, platforms: str, found: list[Account]) -> None:
    assert AccountNames(ACCOUNTS).find(cell, platforms) == found


@pytest.mark.parametrize(
    ("cell", "platforms", "words"),
    [
        ("nobody", "", "No connected account is named “nobody”."),
        (
            "okafor",
            "",
            "2 accounts are named “okafor”. Put the platform first, for example “linkedin:okafor”.",
        ),
        ("x", "", "2 X accounts are connected. Name one of them."),
        ("", "tiktok", "No “tiktok” account is connected."),
        ("", "Linkdin", "No “Linkdin” account is connected. Did you mean LinkedIn?"),
        ("Linkdin", "", "No connected account is named “Linkdin”. Did you mean LinkedIn?"),
        ("Okafro", "x", "No connected account is named “Okafro”. Did you mean okafor?"),
        ("maya", "linkedin", "No connected account is named “maya”."),
        ("threads:okafor", "", "No connected account is named “threads:okafor”."),
        ("threads", "", "No connected account is named “threads”."),
        ("x", "linkedin", "No connected account is named “x”."),
        ("linkedin", "x", "No connected account is named “linkedin”."),
        ("okafor studio", "pinterest", "No connected account is named “okafor studio”."),
        ("okafor", "threads, x", "No “threads” account is connected."),
        (f"  {LONG}1  ", "", f"No connected account is named “{LONG}”. Did you mean {LONG}?"),
        ("", f" {LONG}1 ", f"No “{LONG}” account is connected."),
        ("x:okafo", "", "No connected account is named “x:okafo”. Did you mean okafor?"),
        (
            "twins",
            "",
            "2 accounts are named “twins”. Put the platform first, for example “facebook:twins”.",
        ),
        (
            "@Twins",
            "facebook",
            "2 accounts are named “@Twins”. Put the platform first, for example “facebook:twins”.",
        ),
        (
            "twins",
            "facebook, x",
            "2 accounts are named “twins”. Put the platform first, for example “facebook:twins”.",
        ),
        ("pinterst", "", "No connected account is named “pinterst”. Did you mean Pinterest?"),
        ("pin", "", "No connected account is named “pin”. Did you mean pins?"),
        ("p", "", "No connected account is named “p”."),
        ("@", "", "No connected account is named “@”."),
        ("id-bluesk", "", "No connected account is named “id-bluesk”. Did you mean id-bluesky-?"),
        ("Okafro", "pinterest", "No connected account is named “Okafro”."),
    ],
)
def test_accounts_that_are_not_found_are_told_of(cell: str, platforms: str, words: str) -> None:
    with pytest.raises(UnknownAccountError) as caught:
        AccountNames(ACCOUNTS).find(cell, platforms)
    assert str(caught.value) == words


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_cell_is_an_account_or_is_not(cell: str, platforms: str) -> None:
    try:
        found = AccountNames(ACCOUNTS).find(cell, platforms)
    except UnknownAccountError:
        return
    assert set(found) <= set(ACCOUNTS)


def test_an_error_knows_what_was_written_and_what_was_probably_meant() -> None:
    with pytest.raises(UnknownAccountError) as caught:
        AccountNames(ACCOUNTS).find("maya; Okafro ", "x")
    assert (caught.value.written, caught.value.meant) == ("Okafro", "okafor")
    with pytest.raises(UnknownAccountError) as caught:
        AccountNames(ACCOUNTS).find("", "x; Linkdin ")
    assert (caught.value.written, caught.value.meant) == ("Linkdin", "LinkedIn")
    with pytest.raises(UnknownAccountError) as caught:
        AccountNames(ACCOUNTS).find("x")
    assert (caught.value.written, caught.value.meant) == ("", "")


def millis(*moment: int) -> int:
    return to_millis(datetime(*moment, tzinfo=UTC))  # type: ignore[arg-type,misc]  # a date and a time


def instants(*, own_column: bool = False, order: DayOrder = DayOrder.DAY_FIRST) -> Instants:
    return Instants("Europe/Berlin", order, NOW, own_column=own_column)


@pytest.mark.parametrize(
    ("day", "time", "zone", "at"),
    [
        ("2026-12-01", "10:00", "", millis(2026, 12, 1, 9)),
        ("2026-12-01", "10:00", "  ", millis(2026, 12, 1, 9)),
        ("2026-12-01 10:00", "", "", millis(2026, 12, 1, 9)),
        ("2026-12-01 10:00:07", "", "", millis(2026, 12, 1, 9, 0, 7)),
        ("2026-12-01", "10:00", " europe/LISBON ", millis(2026, 12, 1, 10)),
        ("2026-12-01", "10:00+05:00", "", millis(2026, 12, 1, 5)),
        ("2026-12-01", "10:00:07-05:00", "Europe/Lisbon", millis(2026, 12, 1, 15, 0, 7)),
        ("2/12/2026", "10:00", "", millis(2026, 12, 2, 9)),
    ],
)
def test_a_time_is_read_in_its_own_zone_or_that_of_the_table(day: str, time: str, zone: str, at: int) -> None:
    times = instants()
    for _ in range(2):
        assert times.read(day, time, zone) == (at, [])


def test_months_come_first_if_the_table_is_american() -> None:
    american = instants(order=DayOrder.MONTH_FIRST)
    assert american.read("12/2/2026", "10:00", "UTC") == (millis(2026, 12, 2, 10), [])


@pytest.mark.parametrize(
    ("day", "order"), [("11/25/2027", DayOrder.DAY_FIRST), ("Mon 25/11/2027 10:00", DayOrder.MONTH_FIRST)]
)
def test_a_date_in_another_order_is_not_read(day: str, order: DayOrder) -> None:
    """The other dates of its column, such as 12/05/2027, would be read wrong."""
    at, [issue] = instants(order=order).read(day, "10:00", "UTC")
    assert (at, issue.column, issue.blocks) == (None, Column.DATE, True)
    assert issue.text.startswith(f"“{day}” has day and month in another order")


NO_DATE = Issue(Column.DATE, "The date is missing. Enter it like 2026-11-25 14:30.")
NO_TIME = "The time is missing. Enter it like 14:30."


@pytest.mark.parametrize(
    ("day", "time", "zone", "column", "words"),
    [
        (" ", "10:00", "", Column.DATE, NO_DATE.text),
        ("2026-12-01", "", "", Column.TIME, NO_TIME),
        ("5.12. 10:00", "", "", Column.DATE, "“5.12. 10:00” isn't a date Kalends can read."),
        ("5.12. 10:00", "9:00", "", Column.DATE, "“5.12. 10:00” isn't a date Kalends can read."),
        ("2026-02-30", "10:00", "", Column.DATE, "“2026-02-30” isn't a real date."),
        ("2026-12-01", "words", "", Column.TIME, "“words” isn't a time Kalends can read."),
        ("2026-12-01", "10:00", f" {LONG}1", Column.ZONE, f"“{LONG}” isn't a time zone. Enter it like"),
    ],
)
def test_what_cannot_be_read_is_said_in_its_column(
    day: str, time: str, zone: str, column: Column, words: str
) -> None:
    """A time in the cell of its date has no column of its own."""
    for own_column in (True, False):
        at, [issue] = instants(own_column=own_column).read(day, time, zone)
        assert (at, issue.blocks) == (None, True)
        assert issue.text.startswith(words)
        is_of_date = column is Column.TIME and not own_column
        assert issue.column is (Column.DATE if is_of_date else column)


@pytest.mark.parametrize(
    ("day", "time", "words"),
    [
        ("2026-11-21", "10:00", ["That time has passed."]),
        ("2026-11-21", "10:00:00.001", []),
        ("9999-12-31", "23:59:59.999Z", []),
        ("9999-12-31", "23:59:59.999-00:01", ["That date is too far in the future."]),
    ],
)
def test_a_time_is_after_now_and_within_the_calendar(day: str, time: str, words: list[str]) -> None:
    at, issues = instants().read(day, time, "")
    assert at is not None
    assert [(issue.column, issue.text, issue.blocks) for issue in issues] == [
        (Column.DATE, text, True) for text in words
    ]
    assert (at <= NOW or at > LAST_MOMENT) == bool(words)


@pytest.mark.parametrize("own_column", [True, False])
def test_a_clock_change_is_a_remark(own_column: bool) -> None:
    column = Column.TIME if own_column else Column.DATE
    times = instants(own_column=own_column)
    back = "The clocks go back then, so this time happens twice. The first one is used."
    forward = "The clocks go forward then, so this time doesn't exist. It becomes 03:05."
    for day, at, words in (
        ("2027-10-31", millis(2027, 10, 31, 0, 5), back),
        ("2027-03-28", millis(2027, 3, 28, 1, 5), forward),
    ):
        assert times.read(day, "2:05", "") == (at, [Issue(column, words, blocks=False)])
    assert times.read("2027-10-31", "2:05Z", "") == (millis(2027, 10, 31, 2, 5), [])
