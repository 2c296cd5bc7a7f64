"""Dragging cards, files, drafts and text with a real mouse."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.real_input.desk import BROWN, MANAGER_LEFT, Desk, Point, desk, file_source, missing, word_source

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as opened:
        yield opened


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    Image.new("RGB", (600, 600), BROWN).save(folder / "coat.jpg")
    return folder / "coat.jpg"


def pull(app: Desk, start: Point) -> None:
    """Move a little from where the button is pressed, which begins a drag."""
    app.move(start, (start[0] + 24, start[1] + 8))


def hover(app: Desk, *place: object) -> None:
    """Move to a day or an hour.

    Jumps over the edges of the calendar: while a slow pointer is there, the days scroll.
    """
    x, y = there = app.ask(*place)
    app.move((x + 40, y), there)
    app.rest(there, lambda: app.ask("held"), there)


def drop(app: Desk, start: Point, *place: object) -> None:
    """Drag to a day or an hour."""
    with app.holding(start):
        pull(app, start)
        hover(app, *place)


def test_a_card_is_dragged_across_days(app: Desk) -> None:
    app.ask("span", "month")
    app.drag(app.ask("card", "Swatch day"), app.ask("day", 2))
    assert app.until(lambda: app.ask("post", "Swatch day"), [2, 12 * 60 + 15])
    assert app.until(lambda: app.ask("waiting"), 0) == 0


def test_a_card_is_dragged_across_hours(app: Desk) -> None:
    app.ask("span", "week")
    x, y = app.ask("card", "Fitting notes")
    right, _ = app.ask("hour", 1, 0)
    left, lower = app.ask("hour", 0, 120)
    _, upper = app.ask("hour", 0, 0)
    app.drag((x, y), (x + right - left, y + lower - upper))
    app.until(lambda: app.ask("post", "Fitting notes"), [1, 11 * 60])


def test_a_card_is_dragged_out_of_the_list_of_its_day(app: Desk) -> None:
    text = "A year of one pattern"
    app.ask("span", "month")
    drop(app, app.ask("listed", 1, text), "day", 3)
    assert app.until(lambda: app.ask("post", text), [3, 15 * 60])
    app.ask("span", "week")
    drop(app, app.ask("listed", 3, text), "hour", 2, 12 * 60)
    app.until(lambda: app.ask("post", text)[0], 2)
    _, minute = app.ask("post", text)
    assert abs(minute - 12 * 60) <= 30  # by its upper edge, not by where it is held


def test_a_file_is_dropped_on_a_day(app: Desk, picture: Path) -> None:
    app.ask("span", "month")
    with file_source(app, picture.parent):
        drop(app, app.brown()[0], "day", -1)
        app.until(lambda: (app.ask("composer") or ("", ""))[1].endswith("· uploaded"))
        name, _, at = app.ask("composer")
        assert (name, at) == ("coat.jpg", [-1, 9 * 60])


def test_a_file_is_dropped_on_an_hour(app: Desk, picture: Path) -> None:
    app.ask("span", "week")
    with file_source(app, picture.parent):
        drop(app, app.brown()[0], "hour", 0, 10 * 60 + 30)
        app.until(lambda: (app.ask("composer") or ("", "", None))[2], [0, 10 * 60 + 30])


def test_words_and_a_link_are_dropped_on_a_day_and_an_hour(app: Desk, tmp_path: Path) -> None:
    address = "https://example.org/coat"
    with word_source(app, tmp_path / "source.log", "Wool, felted twice", f"{address} The long coat"):
        words, link = app.brown()
        app.ask("span", "month")
        drop(app, words, "day", 2)
        app.until(lambda: app.ask("text"), "Wool, felted twice")
        assert app.ask("composer")[2] == [2, 9 * 60]
        app.ask("span", "week")
        drop(app, link, "hour", 1, 10 * 60 + 30)
        app.until(lambda: app.ask("text"), f"The long coat\n{address}")
        assert app.ask("composer")[2] == [1, 10 * 60 + 30]
        app.until(lambda: app.ask("drafts")[0], "Wool, felted twice")


def test_a_draft_is_carried_over_the_rail_to_a_day(app: Desk) -> None:
    app.ask("span", "month")
    start, way = app.ask("draft", "Ideas for spring"), app.ask("way", "calendar")
    assert not app.ask("shows_calendar")
    with app.holding(start):
        app.move(start, way)
        app.rest(way, lambda: app.ask("shows_calendar"))
        app.ask("nudge", "Fitting notes")
        app.until(lambda: app.ask("waiting"), 0)  # what is to be done goes on during the drag
        hover(app, "day", 3)
    app.until(lambda: app.ask("text"), "Ideas for spring")
    assert app.ask("composer")[2] == [3, 9 * 60]
    assert "Ideas for spring" not in app.ask("drafts")


def test_a_stored_file_is_carried_over_the_rail_to_a_day(tmp_path: Path, picture: Path) -> None:
    with desk(tmp_path / "desk") as app:
        app.ask("upload", str(picture))
        start, way = app.until(lambda: app.ask("tile")), app.ask("way", "calendar")
        app.ask("span", "month")
        with app.holding(start):
            app.move(start, way)
            app.rest(way, lambda: app.ask("shows_calendar"))
            hover(app, "day", 3)
        app.until(lambda: (app.ask("composer") or ("", "", None))[2], [3, 9 * 60])
        name, facts, _ = app.ask("composer")
        assert (name, facts.endswith("· uploaded")) == ("coat.jpg", True)


@pytest.mark.variation
def test_several_files_are_dropped_on_a_day(tmp_path: Path, picture: Path) -> None:
    Image.new("RGB", (600, 600), BROWN).save(picture.with_name("hat.jpg"))
    with desk(tmp_path / "desk") as app, file_source(app, picture.parent) as source:
        if source != "pcmanfm":
            pytest.skip("needs a file manager in which several files can be chosen")
        first, _ = app.until(lambda: found if len(found := app.brown()) == 2 else None) or ([], [])
        corner = MANAGER_LEFT + 500, 350
        with app.holding(corner):
            app.move(corner, (MANAGER_LEFT + 8, first[1] - 20))  # a frame around both
        drop(app, first, "day", 3)
        planned = app.until(lambda: app.ask("sheet"))
        assert sorted(name for name, _, _ in planned) == ["coat.jpg", "hat.jpg"]
        assert [(day, minute) for _, day, minute in planned] == [(3, 9 * 60), (4, 9 * 60)]
