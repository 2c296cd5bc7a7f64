"""Many posts moved together: one painting, one notice of rows, one step to take back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import post


class Paintings(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        del watched
        self.count += event.type() is QEvent.Type.Paint
        return False


@contextmanager
def painted_once(hands: Hands) -> Iterator[None]:
    QApplication.processEvents()
    paintings = Paintings(hands.view.viewport())
    notices: list[set[int]] = []
    hands.pane.model.days_changed.connect(notices.append)
    yield
    QApplication.processEvents()
    hands.pane.model.days_changed.disconnect(notices.append)
    assert (paintings.count, len(notices)) == (1, 1)


def days(hands: Hands) -> dict[str, int]:
    """Where each post is drawn, or counted."""
    cells = hands.view.page.cells
    found: dict[str, int] = {}
    for day in range(date(2031, 6, 1).toordinal(), date(2031, 7, 10).toordinal()):
        layout, on_day = cells.layout(day), hands.pane.model.on_day(day)
        assert {card.post.key for card in layout.cards} <= {one.key for one in on_day}
        assert len(layout.cards) + layout.hidden == len(on_day)
        for one in on_day:
            assert one.key not in found
            found[one.key] = day
    return found


def test_two_hundred_posts_land_in_one_painting_and_go_back_in_one_step(take: MakeHands) -> None:
    group = [post(f"{n:03}", f"2031-06-{11 + n % 10}T{8 + n // 20:02}:{n % 20 * 3:02}") for n in range(200)]
    others = [post(f"other {n}", f"2031-06-{11 + n}T12:30") for n in range(12)]
    hands = take(*group, *others)
    before = days(hands)
    hands.view.selection.choose((one.key for one in group), "000")
    with ExitStack() as once, hands.dragging("000", hands.cell("2031-06-12").center()):
        once.enter_context(painted_once(hands))
    moved = {key: day + 1 if key.isdigit() else day for key, day in before.items()}
    assert days(hands) == moved
    assert hands.workspace.undo_label == "Move 200 posts"
    assert hands.view.selection.keys == {one.key for one in group}
    with painted_once(hands):
        hands.workspace.undo()
    assert days(hands) == before
    assert not hands.workspace.undo_label
    with painted_once(hands):
        hands.workspace.redo()
    assert days(hands) == moved
