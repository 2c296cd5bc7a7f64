"""What screen readers can't tell is found, and Tab goes through cards in the order of their places.

`test_gallery.py` reads the scenes.
"""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.widgets import ComboBox, Panel
from app.desktop.widgets.focus import tab_stops
from tests.gallery.accessible import faults
from tests.gallery.scene import SMALL, find
from tests.gallery.showing import play
from tests.gallery.stage import Look, Stage, run

_LOOK = Look("light", SMALL)
pytestmark = pytest.mark.usefixtures("listening")


@pytest.mark.parametrize(
    ("name", "orders"),
    [
        (
            "analytics",
            [
                ("series$", "^Views per day as a table"),
                ("^Views per day as a table", "^Views per day$"),
                ("^Open the post", "^Views since publishing"),
            ],
        ),
        (
            "media",
            [
                ("^View larger", "^Alt text"),
                ("^Alt text", "^Copy storage path"),
                ("scheduled$", "^Copy storage path"),
                ("^Copy storage path", "^Use in a post"),
            ],
        ),
    ],
    ids=["analytics", "media"],
)
def test_tab_goes_through_cards_from_top_to_bottom(
    name: str, orders: list[tuple[str, str]], qapp: QApplication
) -> None:
    stops: list[str] = []

    async def read(stage: Stage) -> None:
        assert stage.window is not None
        parts = map(QAccessible.queryAccessibleInterface, tab_stops(stage.window))
        stops.extend(part.text(QAccessible.Text.Name) for part in parts)

    async def work() -> None:
        assert await play(find()[name], _LOOK, read) == []

    run(qapp, work())
    for earlier, later in orders:
        before = [place for place, stop in enumerate(stops) if re.search(earlier, stop)]
        after = [place for place, stop in enumerate(stops) if re.search(later, stop)]
        assert before, earlier
        assert after, later
        assert max(before) < min(after), (earlier, later)


def test_a_key_in_a_name_is_found(qtbot: QtBot) -> None:
    assert read(Row("Emoji (Ctrl+E)"), qtbot) == ["has a key in its name: Button 'Emoji (Ctrl+E)' in "]


class Row(QWidget):
    """Two buttons in a window."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.setWindowTitle("Window")
        for name in names:
            self.column.addWidget(QPushButton(name))


def read(widget: QWidget, qtbot: QtBot) -> list[str]:
    qtbot.addWidget(widget)
    widget.show()
    return faults(QAccessible.queryAccessibleInterface(widget))


def test_a_button_without_a_name_is_found(qtbot: QtBot) -> None:
    assert read(Row("Open", ""), qtbot) == ["has no name: Button '' in "]


def test_a_choice_whose_name_is_only_its_value_is_found(qtbot: QtBot) -> None:
    row = Row("Open")
    combo = ComboBox()
    combo.addItem("Lisbon")
    row.column.addWidget(combo)
    assert read(row, qtbot) == ["has no name: ComboBox '' in "]
    combo.setAccessibleName("Time zone")
    assert faults(QAccessible.queryAccessibleInterface(row)) == []


def test_twins_are_found_unless_what_they_are_in_differs(qtbot: QtBot) -> None:
    assert read(Row("Open", "Open"), qtbot) == ["2 are alike: Button 'Open' in "]
    apart = Row("Open")
    panel = Panel()
    panel.setAccessibleName("Other")
    inner = QVBoxLayout(panel)
    inner.addWidget(QPushButton("Open"))
    apart.column.addWidget(panel)
    assert read(apart, qtbot) == []


def test_a_painted_control_without_a_role_is_found(qtbot: QtBot) -> None:
    row, painted = Row("Open"), QWidget()
    painted.setAccessibleName("Dial")
    painted.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    row.column.addWidget(painted)
    assert read(row, qtbot) == ["can't be operated: Client 'Dial' in "]
