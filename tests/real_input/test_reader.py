"""A screen reader finds every card, and a week is planned with the keyboard."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from tests.real_input.desk import missing, no_reader
from tests.real_input.person import Person, somebody
from tests.real_input.program import FIRST, POSTS

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]
MONDAY = FIRST + 5
"""Start of the planned week, the one after the week with posts."""


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path) as found:
        yield found


def test_each_card_has_name_time_state_and_place(person: Person) -> None:
    cards = {card["name"]: card for card in person.reader.ask("cards")}
    for text, day, minute in POSTS:
        moment = date.fromordinal(FIRST + day)
        time = f"{moment:%A} {moment.day} {moment:%B} {minute // 60:02}:{minute % 60:02}"
        name = f"{text}, {time}, Account 1 on X, scheduled"
        card = cards[name]
        assert {"focusable", "selectable", "showing", "visible"} <= set(card["states"])
        left, top, width, height = card["place"]
        x, y = person.desk.ask("card", text)
        assert left <= x < left + width
        assert top <= y < top + height
    assert len(cards) == len(POSTS)


@pytest.mark.variation
def test_a_week_is_planned_by_keyboard_alone(person: Person) -> None:
    days = [date.fromordinal(MONDAY + number) for number in range(7)]
    for day in days:
        plan(person, f"Plan for {day:%A}", day)
    person.desk.until(lambda: person.desk.ask("waiting") == 0)
    planned = [[f"Plan for {day:%A}", MONDAY - FIRST + number, 540] for number, day in enumerate(days)]
    assert [post for post in person.desk.ask("posts") if post[0].startswith("Plan")] == planned
    person.press("w")
    for _ in range(4):
        if any(card["name"].startswith("Plan for") for card in person.reader.ask("cards")):
            break
        person.press("Page_Down")
    names = [card["name"] for card in person.reader.ask("cards")]
    for day in days:
        assert f"Plan for {day:%A}, {day:%A} {day.day} {day:%B} 09:00, Account 1 on X, scheduled" in names


def test_a_post_is_moved_corrected_and_cancelled_by_what_is_announced(person: Person) -> None:
    """The person only knows the name of what has the focus, and what is announced."""
    moved = date.fromordinal(FIRST + 2)
    walk_to(person, "A year of one pattern")
    person.press("alt+Right")
    person.hear(f"Moved to {moved:%a} {moved.day} {moved:%b}, 15:00.")
    walk_to(person, "A year of one pattern")
    person.press("Return")
    person.hear("Panel open: “A year of one pattern”")
    person.press("F6")
    person.tab_to("Edit")
    person.press("space")
    person.at("Post text")
    person.press("ctrl+a")
    person.write("A year of two patterns")
    person.press("ctrl+Return")
    person.hear("1 post scheduled.")
    person.desk.until(lambda: "A year of two patterns" in [post[0] for post in person.desk.ask("posts")])
    person.at_role("list", "list item")
    walk_to(person, "A year of two patterns")
    person.press("Delete")
    person.hear("Cancelled: ")
    person.press("ctrl+z")
    person.hear("Undone: ")


def walk_to(person: Person, text: str) -> None:
    """Press arrow keys until a post has the focus."""
    seen = []
    for key in (*["Down"] * 2, *["Up"] * 3, "Home", *["Right", "Down"] * 12):
        seen.append(person.focus()["name"])
        if seen[-1].startswith(text):
            return
        person.press(key)
    raise LookupError(f"no key leads to {text}, only to {seen}")


def plan(person: Person, text: str, day: date) -> None:
    """Write a post, choose an account and a day, and schedule it."""
    person.press("n")
    person.desk.until(lambda: person.focus()["name"] == "Post text")
    person.write(text)
    if "checked" not in person.tab_to("@account1", "shift+Tab")["states"]:  # the last post's are chosen
        person.press("space")
    shown = person.tab_to("Day")
    wanted = f"{day:%a} {day.day} {day:%b %Y}"
    ahead = day - datetime.strptime(shown["text"], "%a %d %b %Y").date()  # noqa: DTZ007  a day has no zone
    person.press(*["Up"] * ahead.days)
    person.desk.until(lambda: person.focus()["text"], wanted)
    person.note(f"chose {wanted}")
    person.tab_to("Time")
    person.press("0", "9", "0", "0")
    person.desk.until(lambda: person.focus()["text"], "09:00")
    person.press("ctrl+Return")
    person.desk.until(lambda: person.focus()["role"] in ("list", "list item"))
