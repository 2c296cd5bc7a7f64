"""The sheet of all posts of a day."""

from datetime import date

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFocusEvent, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.theme import theme
from app.workspace.slots.slots import Slot
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import ALT, LEFT, NONE, SHIFT, Hands
from tests.desktop.calendar.memory import instant, post

Key = Qt.Key


@pytest.fixture
def hands(take: MakeHands) -> Hands:
    return take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00", f"Post {hour}") for hour in range(20)))


def ordinal(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def sheet_of(hands: Hands) -> DaySheet:
    (more,) = {hands.view.more_place(hands.pane._days.day_of(one.at)) for one in hands.workspace.posts.all()}
    assert more is not None
    QTest.mouseClick(hands.view.viewport(), LEFT, NONE, more.center())
    (found,) = [sheet for sheet in hands.pane.findChildren(DaySheet) if sheet.isVisible()]
    return found


def test_it_scrolls_and_says_each_post_in_words(hands: Hands) -> None:
    sheet = sheet_of(hands)
    assert len(sheet.listed()) == 20
    assert sheet.list.verticalScrollBar().maximum() > 0
    spoken = str(sheet.list.item(3).data(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken == hands.pane.model.described(hands.post("03"))
    QTest.keyClick(sheet.list, Key.Key_End)
    assert hands.view.selection.current == "19"


def test_it_goes_when_the_look_changes(hands: Hands, qapp: QApplication) -> None:
    sheet = sheet_of(hands)
    theme.apply(qapp, "dark")
    assert not sheet.isVisible()
    theme.apply(qapp, "light")


def test_posts_are_cancelled_and_moved_from_it(hands: Hands) -> None:
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_Down, SHIFT)
    assert hands.view.selection.keys == {"00", "01"}
    QTest.keyClick(sheet.list, Key.Key_Delete)
    assert [hands.post(key).status for key in ("00", "01")] == [PostStatus.CANCELLED] * 2
    QTest.keyClick(sheet.list, Key.Key_End)
    QTest.keyClick(sheet.list, Key.Key_Right, ALT)
    assert hands.post("19").at == instant("2031-06-13T19:00")
    assert "19" not in sheet.listed()
    assert sheet.title.text() == "Thursday 12 June · 19 posts"


def test_a_post_goes_from_it_to_the_next_free_slot(hands: Hands) -> None:
    hands.workspace.slots.put("studio", [Slot("studio", 4, 9 * 60)])
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_S)
    assert hands.post("00").at == instant("2031-06-13T08:00")


def test_the_menu_offers_what_can_be_done_with_posts(hands: Hands) -> None:
    sheet = sheet_of(hands)
    offered = {command.name: command for command in sheet.list.offer()}
    assert {"Move to the next free slot", "Move a day later", "Cancel posts"} <= offered.keys()
    offered["Cancel posts"].run()
    assert hands.post("00").status is PostStatus.CANCELLED


def test_it_goes_when_the_day_has_no_post_left(hands: Hands) -> None:
    sheet = sheet_of(hands)
    hands.workspace.arrive(removed=[f"{hour:02}" for hour in range(20)])
    assert not sheet.isVisible()


def press(sheet: DaySheet, key: str) -> QPoint:
    """Presses the mouse on a post's row."""
    rows = sheet.list
    item = rows.item(sheet.listed().index(key))
    point = rows.visualItemRect(item).topLeft() + QPoint(60, 12)
    QTest.mousePress(rows.viewport(), LEFT, NONE, point)
    return point


def move(sheet: DaySheet, point: QPoint, hands: Hands) -> None:
    """Moves to a point of the days with the left button held; the list is told, as it was pressed there."""
    port, there = sheet.list.viewport(), hands.view.viewport().mapToGlobal(point)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        port.mapFromGlobal(QPointF(there)),
        QPointF(there),
        Qt.MouseButton.NoButton,
        LEFT,
        NONE,
    )
    QApplication.sendEvent(port, event)


def carry(sheet: DaySheet, key: str, to: QPoint, hands: Hands) -> None:
    start = hands.view.viewport().mapFromGlobal(sheet.list.viewport().mapToGlobal(press(sheet, key)))
    for step in range(1, 7):
        move(sheet, start + (to - start) * step / 6, hands)


def let_go(sheet: DaySheet, to: QPoint, hands: Hands) -> None:
    """Lets go at a point of the days."""
    port = sheet.list.viewport()
    QTest.mouseRelease(port, LEFT, NONE, port.mapFromGlobal(hands.view.viewport().mapToGlobal(to)))


def test_a_quick_hand_drops_a_post_where_it_lets_go(hands: Hands) -> None:
    sheet = sheet_of(hands)
    carry(sheet, "07", hands.cell("2031-06-18").center(), hands)
    let_go(sheet, hands.cell("2031-06-20").center(), hands)
    assert hands.post("07").at == instant("2031-06-20T07:00")


def test_a_post_is_dragged_out_of_it_onto_another_day(hands: Hands) -> None:
    sheet = sheet_of(hands)
    to = hands.cell("2031-06-18").center()
    carry(sheet, "07", to, hands)
    drag = hands.view.drag
    assert drag is not None
    assert [post.key for post in drag.posts] == ["07"]
    assert drag.tip == "Wed 18 Jun · 08:00 kept"
    assert drag.preview_rect().contains(to)
    assert not sheet.panel.intersects(hands.pane.rect())
    let_go(sheet, to, hands)
    assert hands.post("07").at == instant("2031-06-18T07:00")
    assert not sheet.isVisible()
    assert hands.view.hasFocus() or not hands.pane.isActiveWindow()
    hands.workspace.undo()
    assert hands.post("07").at == instant("2031-06-12T07:00")


def test_all_that_are_chosen_in_it_are_dragged(hands: Hands) -> None:
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_Down, SHIFT)
    QTest.keyClick(sheet.list, Key.Key_Down, SHIFT)
    carry(sheet, "01", hands.cell("2031-06-18").center(), hands)
    drag = hands.view.drag
    assert drag is not None
    assert drag.tip == "3 posts · Wed 18 Jun · times kept"
    let_go(sheet, hands.cell("2031-06-18").center(), hands)
    assert hands.workspace.moves == [{f"0{hour}": instant(f"2031-06-18T0{hour}:00") for hour in range(3)}]


def test_a_post_is_dragged_out_of_it_onto_an_hour(hands: Hands) -> None:
    hands.show(Span.WEEK, "2031-06-12")
    hands.pane._show_day(ordinal("2031-06-12"))
    sheet = hands.pane.findChild(DaySheet)
    assert isinstance(sheet, DaySheet)
    geometry = hands.view.page.geometry
    carry(sheet, "09", QPoint(hands.cell("2031-06-14").center().x(), 300), hands)
    minute = hands.pane.grid.ruler.drag_minute
    assert minute is not None
    let_go(sheet, QPoint(hands.cell("2031-06-14").center().x(), 300), hands)
    moved = hands.pane._days.place(hands.post("09").at)
    assert (moved.day, moved.minute) == (ordinal("2031-06-14"), minute)
    assert geometry is hands.view.page.geometry


def test_esc_and_a_refused_drop_bring_it_back(hands: Hands) -> None:
    sheet = sheet_of(hands)
    place = sheet.panel
    carry(sheet, "07", hands.cell("2031-06-18").center(), hands)
    QTest.keyClick(sheet.list, Key.Key_Escape)
    assert hands.view.drag is None
    assert sheet.panel == place
    move(sheet, hands.cell("2031-06-19").center(), hands)
    let_go(sheet, hands.cell("2031-06-18").center(), hands)
    assert hands.workspace.moves == []
    carry(sheet, "07", hands.cell("2031-06-05").center(), hands)
    let_go(sheet, hands.cell("2031-06-05").center(), hands)
    assert hands.told[-1].text == "That time has passed."
    assert hands.workspace.moves == []
    assert sheet.panel == place
    QTest.keyClick(sheet.list, Key.Key_Escape)
    assert not sheet.isVisible()


@pytest.mark.parametrize("others", [("07",), ("03", "07"), ("03",)])
def test_a_post_is_dragged_though_the_day_changes_while_it_is_pressed(
    hands: Hands, others: tuple[str, ...]
) -> None:
    sheet = sheet_of(hands)
    target = hands.cell("2031-06-18").center()
    start = hands.view.viewport().mapFromGlobal(sheet.list.viewport().mapToGlobal(press(sheet, "05")))
    if "07" in others:
        hands.workspace.arrive(post("07", "2031-06-12T07:30", "Post 7 at half past"))
    if "03" in others:
        hands.workspace.arrive(removed=["03"])
    for step in range(1, 7):
        move(sheet, start + (target - start) * step / 6, hands)
    assert hands.view.drag is not None
    let_go(sheet, target, hands)
    assert hands.post("05").at == instant("2031-06-18T05:00")
    assert hands.view.selection.keys == {"05"}


def test_it_follows_what_arrives(hands: Hands) -> None:
    sheet = sheet_of(hands)
    sheet.list.setCurrentRow(sheet.listed().index("05"))
    hands.workspace.arrive(
        post("new", "2031-06-12T02:30", "New"), post("04", "2031-06-12T19:30", "Later"), removed=["01"]
    )
    wanted = [f"{hour:02}" for hour in range(20) if hour not in (1, 4)]
    assert sheet.listed() == [*wanted[:2], "new", *wanted[2:], "04"]
    assert [sheet.list.item(row).text() for row in (2, 19)] == ["New", "Later"]
    assert sheet.title.text() == "Thursday 12 June · 20 posts"
    assert sheet.listed()[sheet.list.currentRow()] == "05"
    assert hands.view.selection.current == "05"


def test_a_key_pressed_again_changes_no_other_post(hands: Hands) -> None:
    sheet = sheet_of(hands)
    QTest.keyClick(sheet.list, Key.Key_Down)
    before = hands.post("02")
    hands.workspace.arrive(removed=["01"])
    assert sheet.list.current_key() == "02"
    QTest.keyClick(sheet.list, Key.Key_Right, ALT)
    QTest.keyClick(sheet.list, Key.Key_Delete)
    assert hands.post("02") == before
    QTest.keyClick(sheet.list, Key.Key_Down)
    QTest.keyClick(sheet.list, Key.Key_Delete)
    assert hands.post("03").status is PostStatus.CANCELLED


def test_a_post_that_goes_while_it_is_dragged_ends_nothing_badly(hands: Hands) -> None:
    sheet = sheet_of(hands)
    carry(sheet, "07", hands.cell("2031-06-18").center(), hands)
    hands.workspace.arrive(removed=[f"{hour:02}" for hour in range(20)])
    assert hands.view.drag is None
    let_go(sheet, hands.cell("2031-06-18").center(), hands)
    assert len(hands.workspace.posts) == 0


@pytest.mark.parametrize("size", [(396, 560), (1232, 872), (700, 360)])
@pytest.mark.parametrize("day", ["2031-06-02", "2031-06-08", "2031-06-30", "2031-07-05"])
@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, Span.DAY, Span.AGENDA])
def test_it_lies_within_the_pane(take: MakeHands, span: Span, day: str, size: tuple[int, int]) -> None:
    hands = take(
        *(post(f"{hour:02}", f"{day}T{hour:02}:00") for hour in range(20)), span=span, day=day, size=size
    )
    hands.pane._show_day(ordinal(day))
    sheet = hands.pane.findChild(DaySheet)
    assert isinstance(sheet, DaySheet)
    assert hands.pane.rect().contains(sheet.panel)
    hands.pane.resize(420, 420)
    assert hands.pane.rect().contains(sheet.panel)
    rows = sheet.list.visualItemRect(sheet.list.item(0))
    assert rows.width() <= sheet.list.viewport().width()


@pytest.mark.parametrize("day", [f"2031-06-{day:02}" for day in range(9, 16)])
@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK])
def test_a_nib_points_at_the_day_next_to_it(take: MakeHands, span: Span, day: str) -> None:
    hands = take(*(post(str(n), f"{day}T12:{n:02}") for n in range(20)), span=span, day="2031-06-10")
    sheet = sheet_of(hands)
    place = hands.view.day_place(ordinal(day))
    anchor = QRect(hands.view.viewport().mapTo(hands.pane, place.topLeft()), place.size())
    assert sheet.panel.width() == 320
    assert not sheet.panel.intersects(anchor)
    nib = sheet._nib
    assert nib is not None
    assert nib.x() in (anchor.left(), anchor.right() + 1)
    assert min(abs(nib.x() - sheet.panel.left()), abs(nib.x() - sheet.panel.right() - 1)) == 8
    assert anchor.top() <= nib.y() <= anchor.bottom()
    assert sheet.grab().toImage().pixelColor(nib - sheet.pos()).alpha() > 0


def test_pictures_are_at_the_right_of_its_rows(take: MakeHands) -> None:
    hands = take(
        *(post(str(n), f"2031-06-12T12:{n:02}", "", kind=PostType.IMAGE) for n in range(9)),
        *(post(f"t{n}", f"2031-06-12T14:{n:02}", "") for n in range(9)),
    )
    sheet = sheet_of(hands)

    def tile(row: int) -> QImage:
        place = sheet.list.visualItemRect(sheet.list.item(row))
        return sheet.list.viewport().grab(place.adjusted(place.width() - 34, 4, -4, -8)).toImage()

    assert tile(3) != tile(11)


def test_it_goes_when_something_beside_it_is_pressed_or_scrolled(hands: Hands) -> None:
    sheet = sheet_of(hands)
    QTest.mouseClick(sheet.list.viewport(), LEFT, NONE, QPoint(40, 10))
    assert sheet.isVisible()
    hands.click(hands.cell("2031-06-25").center())
    assert not sheet.isVisible()
    sheet = sheet_of(hands)
    hands.turn_wheel(1)
    assert not sheet.isVisible()


def test_it_stays_while_its_menu_is_open_and_goes_with_the_focus(hands: Hands) -> None:
    hands.pane.activateWindow()
    sheet = sheet_of(hands)
    QApplication.sendEvent(sheet.list, QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.PopupFocusReason))
    assert sheet.isVisible()
    hands.view.setFocus()
    assert not sheet.isVisible()
