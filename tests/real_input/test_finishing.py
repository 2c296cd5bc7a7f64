"""The card of posts by hand: used with a real mouse, by keyboard, and as a screen reader has it."""

import time
from pathlib import Path

import pytest
from PIL import Image

from tests.real_input.desk import Desk, Point, desk, drop_target, missing, no_reader, reader
from tests.real_input.finishing_program import SINGLE, TEXT
from tests.real_input.person import Person

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}")
_PROGRAM = "tests.real_input.finishing_program"
_DOUBLE_CLICK_S = 0.6
"""Longer than a double click, whose second click the card ignores."""
_WALK = (
    "Open X",
    "Address of the post (optional)",
    "Skip",
    "Later",
    "Done",
    "Text of the post",
    "Copy text",
    "Show QR code",
    "Show in folder",
    "Copy file",
)
"""What Tab leads through, from the button that has the focus first."""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "coat.jpg"
    Image.new("RGB", (600, 600), "navy").save(path)
    return path


def give_keyboard(app: Desk) -> None:
    """Give the card the keyboard, like a window manager."""

    def focused() -> bool:
        app.xdotool("search", "--sync", "--onlyvisible", "--name", "waiting for you", "windowfocus")
        return bool(app.ask("is_active"))

    app.until(focused)


def test_the_file_is_dragged_into_another_program(tmp_path: Path, picture: Path) -> None:
    folder = tmp_path / "desk"
    with desk(folder, str(picture), program=_PROGRAM) as app, drop_target(app, tmp_path / "log") as target:
        start, end = app.until(lambda: app.ask("tile")), app.brown()[0]
        with app.holding(start):
            app.move(start, end)
            app.move(end, (end[0] + 20, end[1] + 20))
        (dropped,) = target.read()
    assert Path(dropped).name == "coat.jpg"
    assert Path(dropped).read_bytes() == picture.read_bytes()


@pytest.mark.variation
@pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}")
def test_a_screen_reader_walks_through_the_card(tmp_path: Path, picture: Path) -> None:
    with (
        desk(tmp_path / "desk", str(picture), program=_PROGRAM) as app,
        reader(app, tmp_path / "reader.log") as listening,
    ):
        app.until(lambda: app.ask("tile"))
        give_keyboard(app)
        assert app.until(lambda: listening.ask("named", "Text of the post"))["text"] == TEXT
        assert listening.ask("nameless") == []
        for name in (*_WALK, *_WALK[: _WALK.index("Done") + 1]):
            app.until(lambda: (listening.ask("focus") or {}).get("name"), name)
            app.keys("Tab")
        app.keys("shift+Tab", "space")
        app.until(lambda: app.ask("finished"), [f"finished {TEXT}"])
        app.until(lambda: listening.ask("named", "No posts are waiting for you."))


def click(app: Desk, place: Point) -> None:
    app.xdotool("mousemove", *place, "click", 1)


def at_rest(app: Desk, *question: str) -> Point:
    """Return a place once it no longer moves: messages move the buttons below them."""

    def look() -> Point | None:
        found: Point | None = app.ask(*question)
        time.sleep(0.2)
        return found if app.ask(*question) == found else None

    found = app.until(look)
    assert found is not None
    return found


@pytest.mark.variation
def test_three_posts_of_a_connected_account_are_done_undone_and_skipped_by_mouse(
    tmp_path: Path, picture: Path
) -> None:
    with desk(tmp_path / "desk", str(picture), "single", program=_PROGRAM) as app:
        app.until(lambda: app.ask("shown"), SINGLE[0])
        click(app, at_rest(app, "button", "done_button"))
        app.until(lambda: app.ask("finished"), [f"finished {SINGLE[0]}"])
        app.until(lambda: app.ask("shown"), SINGLE[1])
        click(app, at_rest(app, "undo"))
        app.until(lambda: app.ask("shown"), SINGLE[0])
        assert app.ask("statuses")[SINGLE[0]] == "processing"
        time.sleep(_DOUBLE_CLICK_S)
        click(app, at_rest(app, "button", "skip_button"))
        app.until(lambda: app.ask("statuses")[SINGLE[0]], "cancelled")
        app.until(lambda: app.ask("shown"), SINGLE[1])
        app.until(lambda: app.ask("undo"))  # the message moves the buttons
        time.sleep(_DOUBLE_CLICK_S)
        click(app, at_rest(app, "button", "done_button"))
        app.until(lambda: app.ask("shown"), SINGLE[2])
        assert app.ask("statuses")[SINGLE[1]] == "posted"


@pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}")
def test_three_posts_of_a_connected_account_by_keyboard_and_screen_reader(
    tmp_path: Path, picture: Path
) -> None:
    with (
        desk(tmp_path / "desk", str(picture), "single", program=_PROGRAM) as app,
        reader(app, tmp_path / "reader.log") as listening,
    ):
        app.until(lambda: app.ask("shown"), SINGLE[0])
        give_keyboard(app)
        person = Person(app, listening, tmp_path)
        person.all_are_named()
        person.at("Open X")
        person.tab_to("Later")
        person.press("space")
        person.press("Down", "Return")
        person.hear("You'll be reminded again on ")
        app.until(lambda: app.ask("statuses")[SINGLE[0]], "scheduled")
        app.until(lambda: app.ask("shown"), SINGLE[1])
        person.tab_to("Skip")
        person.press("space")
        person.hear("Skipped. This post won't be published.")
        app.until(lambda: app.ask("statuses")[SINGLE[1]], "cancelled")
        app.until(lambda: app.ask("shown"), SINGLE[2])
        person.tab_to("Done")
        person.press("space")
        person.hear("Marked as published.")
        app.until(lambda: app.ask("finished"), [f"finished {SINGLE[2]}"])
        person.tab_to("Undo")
        person.press("space")
        app.until(lambda: app.ask("statuses")[SINGLE[2]], "processing")
        app.until(lambda: app.ask("shown"), SINGLE[2])
