"""The placeholder of a pane with cards."""

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kit.card_skeleton import CardRow, CardSkeleton
from app.desktop.theme import theme


def test_cards_are_where_those_that_load_will_be(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    skeleton = CardSkeleton([CardRow(80, (1, 1)), CardRow(200, (2, 1)), CardRow(100, (1,))])
    qtbot.addWidget(skeleton)
    skeleton.resize(612, 200)
    assert skeleton.boxes() == [
        QRect(0, 0, 300, 80),
        QRect(312, 0, 300, 80),
        QRect(0, 92, 400, 200),
        QRect(412, 92, 200, 200),
    ]
    assert [box.right() for box in skeleton.boxes()] == [299, 611, 399, 611]
    skeleton.show()
    qtbot.waitUntil(skeleton.is_ripe)
    picture = skeleton.grab().toImage()
    between, inside = picture.pixelColor(306, 40), picture.pixelColor(299 - 20, 70)
    assert inside == theme.current().color("surface") != between


def test_the_last_card_ends_at_the_edge_and_a_row_can_fill_the_rest(qtbot: QtBot) -> None:
    rows = [CardRow(90, (1, 1, 1, 1, 1), is_joined=True), CardRow(100, (19, 10), fills=True)]
    skeleton = CardSkeleton(rows, below=16)
    qtbot.addWidget(skeleton)
    skeleton.resize(1032, 400)
    boxes = skeleton.boxes()
    assert [box.left() for box in boxes[1:5]] == [box.right() + 1 for box in boxes[:4]]
    assert boxes[4].right() == boxes[-1].right() == 1031
    assert boxes[-1].bottom() == 400 - 16 - 1
    skeleton.resize(1032, 120)
    assert skeleton.boxes()[-1].height() == 100


def test_a_card_can_be_beside_all_rows(qtbot: QtBot) -> None:
    rows = [CardRow(80, (1, 1)), CardRow(100, (1,), fills=True)]
    skeleton = CardSkeleton(rows, side=(1, 3), below=16)
    qtbot.addWidget(skeleton)
    skeleton.resize(1_012, 400)
    assert skeleton.boxes() == [
        QRect(0, 0, 250, 384),
        QRect(262, 0, 369, 80),
        QRect(643, 0, 369, 80),
        QRect(262, 92, 750, 292),
    ]
