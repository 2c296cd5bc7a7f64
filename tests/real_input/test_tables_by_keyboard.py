"""Importing, correcting and sending a table with the keyboard. A screen reader hears everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_input.desk import missing, no_reader
from tests.real_input.person import Person, somebody

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]
_ROWS = """\
english,deutsch,platform,date,time
First row,Erste Zeile,x,2100-03-02,09:00
Second row,Zweite Zeile,x,2100-13-45,09:00
Third row,Dritte Zeile,x,2100-03-04,09:00
"""


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path) as found:
        yield found


@pytest.mark.variation
def test_a_table_is_imported_and_its_bad_row_put_right(person: Person, tmp_path: Path) -> None:
    table, back = tmp_path / "plan.csv", tmp_path / "back.csv"
    table.write_text(_ROWS)
    open_table(person, table, "3 rows · 2 posts ready · 1 row has problems")
    person.all_are_named()
    person.tab_to("Text")
    person.press("e")
    person.desk.until(lambda: person.focus()["name"], "english")
    person.hear("3 rows · 2 posts ready · 1 row has problems")
    person.press("F8")
    person.desk.until(lambda: "2100-13-45. Date: " in person.focus()["name"])
    plan(person, "Schedule 2 posts", "2 rows scheduled · 1 not scheduled")
    person.tab_to("Next problem", "shift+Tab")
    person.press("space")
    person.at("Rows of the table")
    person.tab_to("Save the rows that weren't scheduled…")
    person.press("space")
    person.choose_file(back)
    person.hear("The rows are in back.csv.")
    leave(person)
    back.write_text(back.read_text().replace("2100-13-45", "2100-03-03"))
    open_table(person, back, "1 row · 1 post ready")
    plan(person, "Schedule 1 post", "1 row scheduled")
    leave(person)
    planned = {text for text, _, _ in person.desk.ask("posts")}
    assert {"First row", "Second row", "Third row"} <= planned


def open_table(person: Person, table: Path, told: str) -> None:
    person.press("ctrl+shift+i")
    person.choose_file(table)
    person.hear(told)


def plan(person: Person, button: str, told: str) -> None:
    person.tab_to(button)
    person.press("space")
    person.hear(told)
    person.at("Done")


def leave(person: Person) -> None:
    person.tab_to("Done")
    person.press("space")
    person.at("Calendar")
