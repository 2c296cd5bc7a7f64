"""The steps of connecting an account."""

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.connections.steps import Step
from app.desktop.theme import theme


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_a_step_has_room_for_its_whole_number(qtbot: QtBot, qapp: QApplication, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    sheet = QWidget()
    qtbot.addWidget(sheet)
    column, step = QVBoxLayout(sheet), Step(3)
    step.set_state("later", "The account appears here")
    step.set_last()
    column.addWidget(step)
    column.addStretch(1)
    sheet.resize(600, 400)
    sheet.show()
    assert step.height() >= theme.current().grown(24)
