"""Writing, correcting, scheduling and undoing posts with the keyboard. A screen reader hears everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_input.desk import missing, no_reader
from tests.real_input.files import picture
from tests.real_input.person import Person, somebody

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]
_LONG = "Felt begins with wool that nobody wanted to spin, and with warm water."


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path, "media") as found:
        yield found


def begin(person: Person, text: str) -> None:
    person.press("ctrl+n")
    person.at("Post text")
    person.write(text)


def choose(person: Person, *accounts: str) -> None:
    person.tab_to(accounts[0], "shift+Tab")
    person.press("space")
    for account in accounts[1:]:
        person.tab_to(account)
        person.press("space")


@pytest.mark.variation
def test_a_post_for_three_accounts_is_put_right_and_planned_in_another_zone(
    person: Person, tmp_path: Path
) -> None:
    begin(person, "Wool, felted twice")
    person.press("ctrl+o")
    person.choose_file(picture(tmp_path, "brown.jpg"))
    person.hear("brown.jpg, ")
    choose(person, "@account1 on X", "@account3 on Instagram")
    person.tab_to("Show 1 more account")
    person.press("space")
    person.tab_to("Account 4 on Pinterest")
    person.press("space")
    person.all_are_named()
    write_otherwise_for_x(person)
    choose_a_board(person)
    choose_a_time(person)
    person.press("ctrl+Return")
    person.hear("3 posts scheduled.")
    person.at("Calendar")
    person.desk.until(lambda: person.desk.ask("waiting"), 0)
    assert planned(person) == ["Wool for X", "Wool, felted twice", "Wool, felted twice"]
    person.press("ctrl+z")
    person.hear("Undone: ")
    person.desk.until(lambda: planned(person), [])


def planned(person: Person) -> list[str]:
    return sorted(text for text in person.desk.ask("scheduled") if "Wool" in text)


def write_otherwise_for_x(person: Person) -> None:
    """Write a text that's too long for one account, then a shorter version for it."""
    person.tab_to("Version for all accounts")
    person.press("Right")
    person.at("Version for Account 1 on X")
    person.tab_to("Post text")
    person.press("ctrl+a")
    person.write("Wool " * 57)
    person.hear("Edited for this account")
    person.hear("5 characters too long for X.")
    person.press("ctrl+a")
    person.write("Wool for X")
    person.tab_to("Version for Account 1 on X, differs", "shift+Tab")
    person.press("Left")
    person.at("Version for all accounts")


def choose_a_board(person: Person) -> None:
    """Follow the message to the missing board."""
    person.press("ctrl+Return")
    person.hear("Choose a board on Pinterest.")
    person.at("Pinterest board")
    person.press("Down", "Down")
    person.hear("All problems are fixed.")


def choose_a_time(person: Person) -> None:
    person.tab_to("Day")
    person.press("Up")
    person.tab_to("Time")
    person.press("1", "0", "1", "5")
    person.desk.until(lambda: person.focus()["text"], "10:15")
    person.tab_to("Time zone")
    person.press("space")
    person.press("ctrl+a")
    person.write("Asia/Tokyo")
    person.press("Return")
    person.hear("In the calendar: ")


@pytest.mark.variation
def test_what_is_about_to_be_published_is_taken_back_and_kept_as_a_draft(person: Person) -> None:
    begin(person, _LONG)
    choose(person, "@account1 on X")
    person.tab_to("Publish now")
    person.press("space")
    person.hear("1 post will be published in a moment. Press F6 for Undo.")
    person.press("F6")
    person.at("Undo")
    person.press("space")
    person.at("Post text")
    person.desk.until(lambda: person.focus()["text"], _LONG)
    person.find("Saved")
    person.press("ctrl+a")
    person.write("Felt")
    person.find("Saved")
    person.press("ctrl+s")
    person.hear("Saved to Drafts.")
    person.press("ctrl+2")
    person.at("Felt, ")
    person.press("Return")
    person.at("Post text")
    person.tab_to("Earlier texts")
    person.press("space")
    person.desk.until(lambda: _LONG[:30] in person.focus()["name"])
    person.press("Return")
    person.desk.until(lambda: person.focus()["text"], _LONG)


def test_a_post_is_planned_to_be_published_by_hand_and_undone(tmp_path: Path) -> None:
    with somebody(tmp_path, "by-hand") as person:
        begin(person, "Wool, felted twice")
        choose(person, "@account1 on X")
        found = person.tab_to("Publish by hand")
        assert "checked" not in found["states"]
        person.press("space")
        person.desk.until(lambda: "checked" in person.focus()["states"])
        told = "At that time, Kalends reminds you and gives you the text and file for X."
        assert person.focus()["description"] == told
        person.press("ctrl+Return")
        person.hear("1 post scheduled.")
        person.at("Calendar")
        person.desk.until(lambda: person.desk.ask("by_hand"), ["Wool, felted twice"])
        person.press("ctrl+z")
        person.hear("Undone: ")
        person.desk.until(lambda: person.desk.ask("by_hand"), [])
