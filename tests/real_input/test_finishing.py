"""The card of a post by hand: its file dragged with a real mouse, and the card as a screen reader has it."""

from pathlib import Path

import pytest
from PIL import Image

from tests.real_input.desk import Desk, desk, drop_target, missing, no_reader, reader
from tests.real_input.finishing_program import TEXT

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}")
_PROGRAM = "tests.real_input.finishing_program"
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
        app.xdotool("search", "--sync", "--onlyvisible", "--name", "waits for you", "windowfocus")
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
        app.until(lambda: listening.ask("named", "No post waits for you."))
