"""A screen reader finds every card, and a week is planned by keyboard alone.

What was pressed and what was told then stand in ``journey.txt`` in the test's folder, with a picture each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.real_input.desk import Desk, Reader, desk, missing, reader, reader_python
from tests.real_input.program import FIRST, POSTS

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(reader_python() is None, reason="no Python here can ask the accessibility bus"),
]
MONDAY = FIRST + 5
"""Of the week that is planned, which lies after the one with posts."""


@dataclass
class Person:
    """Somebody who sees nothing, and has a keyboard."""

    desk: Desk
    reader: Reader
    folder: Path
    steps: int = 0

    def press(self, *keys: str) -> None:
        self.desk.keys(*keys)
        self.note(f"pressed {' '.join(keys)}")

    def write(self, text: str) -> None:
        self.desk.xdotool("type", "--delay", 5, text)
        self.note(f"wrote {text!r}")

    def focus(self) -> dict[str, Any]:
        """What the reader says has the focus."""
        return self.reader.ask("focus") or {"name": "", "role": "", "text": "", "states": []}

    def tab_to(self, name: str, key: str = "Tab") -> dict[str, Any]:
        """Goes from one thing to the next until the reader names this one."""
        passed: list[str] = []
        while len(passed) < 30:
            if (found := self.focus())["name"].startswith(name):
                return found
            passed.append(found["name"])
            self.desk.keys(key)
        raise LookupError(f"{key} does not lead to {name}, only to {passed}")

    def note(self, what: str) -> None:
        """Writes down what was done and what was told, with a picture."""
        self.steps += 1
        told = self.focus()
        with (self.folder / "journey.txt").open("a") as journey:
            journey.write(f"{self.steps:03} {what}: {told['role']} “{told['name']}”\n")
        self.desk.picture().crop((0, 0, 1280, 800)).save(self.folder / f"{self.steps:03}.png")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with desk(tmp_path / "desk") as opened, reader(opened, tmp_path / "reader.log") as listening:
        opened.xdotool("search", "--sync", "--onlyvisible", "--name", "Kalends", "windowfocus")
        opened.until(lambda: listening.ask("cards"))
        yield Person(opened, listening, tmp_path)


def test_each_card_has_name_time_state_and_place(person: Person) -> None:
    cards = {card["name"]: card for card in person.reader.ask("cards")}
    for text, day, minute in POSTS:
        moment = date.fromordinal(FIRST + day)
        name = (
            f"{text}, {moment:%A} {moment.day} {moment:%B} {minute // 60:02}:{minute % 60:02}, X, scheduled"
        )
        card = cards[name]
        assert {"focusable", "selectable", "showing", "visible"} <= set(card["states"])
        left, top, width, height = card["place"]
        x, y = person.desk.ask("card", text)
        assert left <= x < left + width
        assert top <= y < top + height
    assert len(cards) == len(POSTS)


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
        assert f"Plan for {day:%A}, {day:%A} {day.day} {day:%B} 09:00, X, scheduled" in names


def plan(person: Person, text: str, day: date) -> None:
    """Writes a post, chooses an account and a day, and schedules it."""
    person.press("n")
    person.desk.until(lambda: person.focus()["name"] == "Text of the post")
    person.write(text)
    person.tab_to("Account 1", "shift+Tab")
    person.press("space")
    shown = person.tab_to("Day")
    wanted = f"{day:%a} {day.day} {day:%b %Y}"
    ahead = day - datetime.strptime(shown["text"], "%a %d %b %Y").date()  # noqa: DTZ007  a day has no zone
    person.desk.keys(*["Up"] * ahead.days)
    person.desk.until(lambda: person.focus()["text"], wanted)
    person.note(f"chose {wanted}")
    person.tab_to("Time")
    person.press("0", "9", "0", "0")
    person.desk.until(lambda: person.focus()["text"], "09:00")
    person.press("ctrl+Return")
    person.desk.until(lambda: person.focus()["role"] in ("list", "list item"))
