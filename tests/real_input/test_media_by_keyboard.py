"""Adding, viewing, describing and deleting files with the keyboard. A screen reader hears everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_input.desk import missing, no_reader
from tests.real_input.files import add, picture
from tests.real_input.person import Person, somebody

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path, "media") as found:
        yield found


def test_an_upload_is_watched_paused_cancelled_and_tried_again(person: Person, tmp_path: Path) -> None:
    add(person, picture(tmp_path, "brown.jpg"))
    person.all_are_named()
    file = picture(tmp_path, "olive.jpg")
    person.desk.ask("hold")
    person.press("ctrl+u")
    person.choose_file(file)
    person.tab_to(f"Pause upload: {file.name}")
    person.press("space")
    person.at(f"Resume upload: {file.name}")
    person.press("space")
    person.at(f"Pause upload: {file.name}")
    person.tab_to(f"Cancel upload: {file.name}")
    person.press("space")
    person.at("Remove from list")
    person.desk.ask("release")
    person.desk.ask("refuse_upload")
    person.press("ctrl+u")
    person.choose_file(file)
    person.hear(f"{file.name}: ")
    person.tab_to(f"Try again: {file.name}")
    person.press("space")
    person.hear(f"{file.name}: uploaded")
    person.at(f"Show: {file.name}")
    person.press("space")
    person.at("olive.jpg, ")


@pytest.mark.variation
def test_files_are_found_looked_at_and_described(person: Person, tmp_path: Path) -> None:
    names = [f"{name}.jpg" for name in ("brown", "green", "navy", "olive")]
    add(person, *(picture(tmp_path, name) for name in names))
    find_and_look(person)
    describe(person)


def find_and_look(person: Person) -> None:
    """Search, sort, and view one file after the other."""
    person.tab_to("Search files", "shift+Tab")
    person.write("gre")
    person.hear("1 of 4 files")
    person.press("ctrl+a", "BackSpace")
    person.hear("4 files")
    person.tab_to("Sort files")
    person.press("Down", "Down")
    person.at("By name")
    person.tab_to("Files")
    person.press("Home")
    person.at("brown.jpg, ")
    person.press("Return")
    person.hear("brown.jpg")
    person.press("Right")
    person.hear("green.jpg")
    person.press("Escape")
    person.at("green.jpg, ")


def describe(person: Person) -> None:
    """Write an alt text, and find it with the file."""
    person.press("Home")
    person.at("brown.jpg, ")
    person.tab_to("Alt text")
    person.write("A brown square")
    person.tab_to("Copy storage path")
    person.desk.until(lambda: person.desk.ask("described"), "A brown square")
    for name in ("Use in a post", "Save a copy…", "Delete"):
        person.tab_to(name)


@pytest.mark.variation
def test_files_are_deleted_or_kept_or_were_gone(person: Person, tmp_path: Path) -> None:
    add(person, *(picture(tmp_path, f"{name}.jpg") for name in ("brown", "green", "navy")))
    choose(person, "brown")
    person.press("Delete")
    person.hear("brown.jpg”?")
    person.at("Keep")
    person.press("Escape")
    person.at("Files")
    for name, why, told in (
        ("brown", "", "brown.jpg” was deleted."),
        ("green", "need", "green.jpg” was kept"),
        ("navy", "lose", "navy.jpg” was already gone from the service"),
    ):
        choose(person, name)
        person.press("Delete")
        person.hear(f"{name}.jpg”?")
        if why:  # only now, or the app would know it
            person.desk.ask(why, f"{name}.jpg")
        person.tab_to("Delete “")
        person.press("space")
        person.hear(told)
        person.at("Files" if why == "need" else "Show all files")
    person.press("shift+Tab")


def choose(person: Person, name: str) -> None:
    """Search for a file and select it."""
    person.tab_to("Search files", "shift+Tab")
    person.press("ctrl+a")
    person.write(name)
    person.tab_to("Files")
    person.desk.until(lambda: f"{name}.jpg" in person.focus()["name"])
