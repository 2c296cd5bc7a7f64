"""The toolbar above the files."""

from pytestqt.qtbot import QtBot

from app.desktop.media.toolbar import MediaToolbar


def test_nothing_moves_while_the_user_types(qtbot: QtBot) -> None:
    bar = MediaToolbar()
    qtbot.addWidget(bar)
    bar.resize(1_040, 44)
    bar.show_count(23, 23)
    bar.show()
    places = {part: part.geometry() for part in bar._parts()}
    bar.search.setText("loo")
    bar.show_count(2, 23)
    bar.layout().activate()  # type: ignore[union-attr]
    assert bar.count.text() == "2 of 23 files"
    assert {part: part.geometry() for part in bar._parts()} == places
