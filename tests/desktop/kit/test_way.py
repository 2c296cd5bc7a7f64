"""A way to start: as high as its sentence needs."""

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kit.way import Way
from app.desktop.theme import theme


def test_a_narrow_card_shows_every_line_of_its_sentence(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light", 2.0)
    holder = QWidget()
    qtbot.addWidget(holder)
    way = Way("bell", "Publish by hand", "For every platform: Kalends reminds you and hands you the file.")
    column = QVBoxLayout(holder)
    column.addWidget(way)
    column.addStretch(1)
    holder.resize(500, 900)
    holder.show()
    qapp.processEvents()
    assert way.height() == way.heightForWidth(way.width())
    assert way.height() > way.sizeHint().height()
