"""Media, composer and the import of tables by keyboard alone, with a screen reader that hears all of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.real_input.desk import missing, reader_python
from tests.real_input.person import Person, somebody

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(reader_python() is None, reason="no Python here can ask the accessibility bus"),
]


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path, "media") as found:
        yield found


def picture(folder: Path, name: str, size: tuple[int, int] = (600, 600)) -> Path:
    path = folder / name
    Image.new("RGB", size, name.partition(".")[0]).save(path)
    return path


def add(person: Person, *files: Path) -> None:
    """Adds files to the media, and hears that they are there."""
    person.press("ctrl+3")
    person.press("ctrl+u")
    person.choose_file(*files)
    for file in files:
        person.hear(f"{file.name}: uploaded")


def test_files_are_added_found_looked_at_and_deleted(person: Person, tmp_path: Path) -> None:
    files = [picture(tmp_path, f"{name}.jpg") for name in ("brown", "green", "navy")]
    add(person, *files)
    person.all_are_named()
    watch_an_upload(person, picture(tmp_path, "olive.jpg"))
    find_and_look(person)
    delete(person)


def watch_an_upload(person: Person, file: Path) -> None:
    """Pauses, lets go on, cancels; and tries again what failed. The focus stays where one works."""
    person.desk.ask("hold")
    person.press("ctrl+u")
    person.choose_file(file)
    person.tab_to(f"Pause this upload: {file.name}")
    person.press("space")
    person.at(f"Go on with this upload: {file.name}")
    person.press("space")
    person.at(f"Pause this upload: {file.name}")
    person.tab_to(f"Cancel this upload: {file.name}")
    person.press("space")
    person.at("Take off this list")
    person.desk.ask("release")
    person.desk.ask("refuse_upload")
    person.press("ctrl+u")
    person.choose_file(file)
    person.hear(f"{file.name}: ")
    person.tab_to(f"Try again: {file.name}", "shift+Tab")
    person.press("space")
    person.hear(f"{file.name}: uploaded")


def find_and_look(person: Person) -> None:
    """Searches, sorts, and looks at one file after the other."""
    person.tab_to("Search files")
    person.write("gre")
    person.hear("1 of 4 files")
    person.press("ctrl+a", "BackSpace")
    person.hear("4 files")
    person.tab_to("Order of files")
    person.press("Down", "Down")
    person.tab_to("Files")
    person.press("Home", "Return")
    person.hear("brown.jpg")
    person.press("Right")
    person.hear("green.jpg")
    person.press("Escape")
    person.desk.until(lambda: person.focus()["role"] in ("list", "list item"))


def delete(person: Person) -> None:
    """One is deleted, one is kept, and one is gone already."""
    person.press("Home", "Delete")
    person.hear("Delete “brown.jpg”?")
    person.press("Escape")
    for name, why, told in (
        ("brown.jpg", "", "“brown.jpg” was deleted."),
        ("green.jpg", "need", "“green.jpg” was kept"),
        ("navy.jpg", "lose", "“navy.jpg” was not at the service any more"),
    ):
        person.tab_to("Search files", "shift+Tab")
        person.press("ctrl+a")
        person.write(name.partition(".")[0])
        person.tab_to("Files")
        person.press("Home", "Delete")
        person.tab_to(f"Delete “{name}”")
        if why:  # while the sheet asks, or it would know
            person.desk.ask(why, name)
        person.press("space")
        person.hear(told)
        is_gone(person, f"Show: {name}")


def is_gone(person: Person, name: str) -> None:
    person.desk.until(lambda: person.reader.ask("named", name) is None)


def test_a_picture_is_repaired_and_planned_for_three_accounts(person: Person, tmp_path: Path) -> None:
    add(person, picture(tmp_path, "brown.jpg", (600, 1_200)))
    person.tab_to("Schedule with this")
    person.press("space")
    person.at("Text of the post")
    person.write("Wool, felted twice")
    person.tab_to("Account 1 on X", "shift+Tab")
    person.press("space")
    for account in ("Account 3 on Instagram", "Account 4 on Pinterest"):
        person.tab_to(account)
        person.press("space")
    person.hear("Instagram does not take this shape")
    person.all_are_named()
    person.tab_to("Crop")
    person.press("space")
    person.hear("Nothing is left to fix")
    write_otherwise_for_x(person)
    put_in_a_saved_text(person)
    choose_board_and_time(person)
    person.press("ctrl+Return")
    person.desk.until(lambda: person.focus()["role"] in ("list", "list item"))
    person.desk.until(lambda: person.desk.ask("waiting") == 0)
    planned = [text for text, _, _ in person.desk.ask("posts") if "Wool" in text]
    assert sorted(planned) == ["Wool for X", "Wool, felted twice #wool", "Wool, felted twice #wool"]


def write_otherwise_for_x(person: Person) -> None:
    person.tab_to("Version for all accounts", "shift+Tab")
    person.press("Right")
    person.at("Version for Account 1 on X")
    person.tab_to("Text of the post")
    person.press("ctrl+a")
    person.write("Wool for X")
    person.hear("Written for this account")
    person.tab_to("Version for Account 1 on X, differs", "shift+Tab")
    person.press("Left")


def put_in_a_saved_text(person: Person) -> None:
    """Saves a text, and puts it in where it was not."""
    person.tab_to("Text of the post")
    person.press("ctrl+End")
    person.write(" #wool")
    person.press("shift+ctrl+Left", "shift+Left", "ctrl+j", "Down", "Return")
    person.at("Name")
    person.write("Wool")
    person.press("Return")
    person.at("Text of the post")
    person.desk.until(lambda: person.desk.ask("saved_texts") == ["Wool"])
    person.press("Delete", "ctrl+j", "Down", "Return")
    person.desk.until(lambda: person.focus()["text"].endswith("#wool"))


def choose_board_and_time(person: Person) -> None:
    person.press("ctrl+Return")
    person.hear("Choose a board on Pinterest.")
    person.press("Down", "Down")
    person.tab_to("Day")
    person.press("Up")
    person.tab_to("Time")
    person.press("1", "0", "1", "5")
    person.desk.until(lambda: person.focus()["text"], "10:15")


def test_a_table_is_imported(person: Person, tmp_path: Path) -> None:
    table = tmp_path / "plan.csv"
    year = 2100
    table.write_text(
        "text,platform,date,time\n"
        f"First row,x,{year}-03-02,09:00\nSecond row,x,{year}-13-45,09:00\nThird row,x,{year}-03-04,09:00\n"
    )
    person.press("ctrl+shift+i")
    person.choose_file(table)
    person.hear("3 rows · 2 posts can be planned · 1 row has problems")
    person.all_are_named()
    person.press("F8")
    person.desk.until(lambda: "Date:" in person.focus()["name"])
    person.tab_to("Plan 2 posts")
    person.press("space")
    person.hear("2 rows planned · 1 not planned")
    person.at("Done")
    person.press("space")
    person.desk.until(lambda: person.focus()["role"] in ("list", "list item"))
    assert {"First row", "Third row"} <= {text for text, _, _ in person.desk.ask("posts")}
