"""What stands around the days: title, filters, states."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostType
from app.desktop.calendar.day_sheet import DaySheet
from app.desktop.calendar.days import Span
from app.desktop.calendar.filter_panel import FilterPanel
from app.desktop.calendar.notice import Notice
from app.desktop.theme import theme
from app.desktop.widgets import Label, Skeleton
from app.workspace.sync.status import SyncStatus
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import LEFT, NONE, Hands
from tests.desktop.calendar.memory import account, instant, post


def button(hands: Hands, words: str) -> QAbstractButton:
    found = [one for one in hands.pane.findChildren(QAbstractButton) if one.text() == words]
    return next(one for one in found if one.isVisible())


def button_of_notice(hands: Hands) -> QAbstractButton:
    notice = hands.pane.findChildren(Notice)[0]
    assert notice.isVisible()
    return notice.findChildren(QAbstractButton)[0]


def panel(hands: Hands) -> FilterPanel:
    """The open panel of the filter."""
    hands.pane.filters.button.click()
    assert hands.pane.filters.panel is not None
    return hands.pane.filters.panel


def rows(hands: Hands) -> list[str]:
    model = hands.pane.model
    return [model.post_at(row).key for row in range(model.rowCount())]


def test_the_title_names_the_month_and_the_week(take: MakeHands) -> None:
    hands = take()
    assert hands.pane.grid.title() == ("June", "2031")
    hands.show(Span.WEEK, "2031-07-01")
    assert hands.pane.grid.title() == ("30 Jun – 6 Jul", "2031")  # noqa: RUF001  a range
    assert hands.pane.grid.week_number() == 27


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("span", list(Span))
def test_the_toolbar_leaves_out_what_has_no_room(
    take: MakeHands, qapp: QApplication, span: Span, scale: float
) -> None:
    """From the narrowest window with a panel beside to a wide one."""
    hands = take(span=span, size=(1_900, 700))
    bar = hands.pane.toolbar
    row = bar.layout()
    assert row is not None
    theme.apply(qapp, "light", scale)
    shown = []
    for width in (1_860, 1_200, 1_032, 776):
        bar.fit(width)
        shown.append({one.text() for one in bar.findChildren(QAbstractButton) if not one.isHidden()})
        assert row.sizeHint().width() <= width
    assert shown == sorted(shown, key=len, reverse=True)
    assert "New post" in shown[-1] or scale > 1
    bar.fit(1_860)
    assert {"New post", "Today"} <= {
        one.text() for one in bar.findChildren(QAbstractButton) if one.isVisible()
    }
    theme.apply(qapp, "light")


def test_beside_a_panel_the_way_to_a_new_post_makes_room(take: MakeHands) -> None:
    bar = take(size=(1_200, 700)).pane.toolbar
    bar.fit(592)
    texts = {one.text() for one in bar.findChildren(QAbstractButton) if not one.isHidden()}
    assert "New post" not in texts
    assert "Today" in texts


def test_scrolling_goes_on_through_time_and_the_title_follows(take: MakeHands) -> None:
    hands = take()
    hands.turn_wheel(12)
    assert hands.pane.grid.title() == ("July", "2031")


def test_the_arrows_turn_months_without_end(take: MakeHands) -> None:
    hands = take()
    for _ in range(14):
        hands.pane.toolbar.forward.click()
    assert hands.pane.grid.title() == ("August", "2032")
    assert hands.view.viewport().rect().contains(hands.cell("2032-08-01"))


@pytest.mark.parametrize("size", [(1_712, 1_050), (1_232, 872), (720, 872), (376, 560)])
def test_every_size_shows_whole_weeks_within_the_pane(take: MakeHands, size: tuple[int, int]) -> None:
    hands = take(size=size)
    assert (hands.pane.width(), hands.pane.height()) == size
    viewport = hands.view.viewport()
    top = hands.view.verticalOffset()
    days = list(hands.view.page.geometry.days_in(hands.view.visible))
    assert hands.view.page.geometry.cell(days[0]).y == top
    last = hands.view.page.geometry.cell(days[-1])
    assert (last.x + last.width, last.y + last.height - top) == (viewport.width(), viewport.height())


def test_an_account_filters_and_says_so(take: MakeHands) -> None:
    hands = take(
        post("a", "2031-06-12T08:00", account_key="one"),
        post("b", "2031-06-12T09:00", account_key="two"),
        accounts=[account("one"), account("two", "x")],
    )
    shown = panel(hands)
    shown.accounts["two"].click()
    assert rows(hands) == ["b"]
    shown.close()  # until then, the button keeps its width
    hands.workspace.arrive(post("c", "2031-06-13T08:00", account_key="one"))
    assert rows(hands) == ["b"]
    panel(hands).close()
    assert button(hands, "Name of two").isChecked()
    hands.pane.filters.show_all.click()
    assert rows(hands) == ["a", "b", "c"]
    assert not button(hands, "Filter").isChecked()


def test_every_account_is_in_the_panel_with_its_name_as_it_is(take: MakeHands) -> None:
    accounts = [account(f"number {number}") for number in range(30)]
    hands = take(accounts=[*accounts, replace(account("last"), name="R&D & more")], size=(720, 872))
    boxes = panel(hands).accounts
    assert len(boxes) == 31
    row = boxes["last"].parentWidget()
    assert row is not None
    assert [label.text() for label in row.findChildren(Label)] == ["R&D & more"]
    assert boxes["last"].accessibleName() == "R&D & more on LinkedIn"


def test_an_empty_calendar_says_what_to_do(take: MakeHands, qtbot: QtBot) -> None:
    hands = take()
    with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000):
        button_of_notice(hands).click()
    hands.workspace.arrive(post("a", "2031-06-12T08:00"))
    assert not hands.pane.findChildren(Notice)[0].isVisible()


def test_a_new_post_isnt_offered_while_one_is_written(take: MakeHands) -> None:
    hands = take()
    assert hands.pane.notice.isVisible()
    hands.pane.mark_day(instant("2031-06-12T08:00"), 1)
    assert not hands.pane.notice.isVisible()
    hands.workspace.arrive()
    assert not hands.pane.notice.isVisible()
    hands.pane.mark_day(None)
    assert button_of_notice(hands).text() == "New post"


def test_without_an_account_it_leads_to_one(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(accounts=[])
    with qtbot.waitSignal(hands.pane.connectRequested, timeout=30_000):
        button(hands, "Connect an account").click()
    hands.workspace.connect(account("studio"))
    assert button_of_notice(hands).text() == "New post"


@pytest.mark.parametrize("width", [420, 1232])
def test_the_days_end_above_a_notice_over_posts(take: MakeHands, width: int) -> None:
    hands = take(post("a", "2031-06-12T08:00"), size=(width, 872))
    pane, whole = hands.pane, hands.pane.grid.height()
    refused = SyncStatus(problem="The service rejected the API key.", key_refused=True)
    for status, is_covered in ((refused, True), (SyncStatus(connected=True), False)):
        hands.workspace.sync = status
        hands.workspace.arrive(post("a", "2031-06-12T08:00"))
        QApplication.processEvents()
        assert pane.notice.isVisible() is is_covered
        if is_covered:
            top = pane.notice.mapTo(pane, QPoint()).y()
            assert pane.grid.mapTo(pane, pane.grid.rect().bottomLeft()).y() < top
            assert pane.rect().contains(QRect(pane.notice.mapTo(pane, QPoint()), pane.notice.size()))
        else:
            assert pane.grid.height() == whole


def test_a_filter_that_hides_everything_can_be_left_there(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    panel(hands).kinds[PostType.VIDEO].click()
    button_of_notice(hands).click()
    assert rows(hands) == ["a"]


def test_the_count_opens_the_whole_day(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(*(post(f"{hour:02}", f"2031-06-12T{hour:02}:00", f"Post {hour}") for hour in range(9)))
    more = hands.view.more_rect("08")
    assert more is not None
    QTest.mouseClick(hands.view.viewport(), LEFT, NONE, more.center())
    sheet = hands.pane.findChild(DaySheet)
    assert isinstance(sheet, DaySheet)
    assert sheet.title.text() == "Thursday 12 June · 9 posts"
    assert sheet.listed() == [f"{hour:02}" for hour in range(9)]
    with qtbot.waitSignal(hands.pane.postOpened, timeout=30_000) as opened:
        QTest.keyClick(sheet.list, Qt.Key.Key_Down)
        QTest.keyClick(sheet.list, Qt.Key.Key_Return)
    assert opened.args == ["01"]


def test_a_double_click_opens_a_post_or_begins_one_there(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    surface = hands.view.viewport()
    with qtbot.waitSignal(hands.pane.postOpened, timeout=30_000) as opened:
        QTest.mouseDClick(surface, LEFT, NONE, hands.card("a").center())
    assert opened.args == ["a"]
    with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000) as wanted:
        QTest.mouseDClick(surface, LEFT, NONE, hands.cell("2031-06-18").center())
    assert wanted.args == [post("", "2031-06-18T08:00").at, True]
    hands.show(Span.WEEK, "2031-06-12")
    at_ten = QPoint(hands.cell("2031-06-13").center().x(), hands.card("a").top() + 48 + 2)
    with qtbot.waitSignal(hands.pane.newPostRequested, timeout=30_000) as wanted:
        QTest.mouseDClick(surface, LEFT, NONE, at_ten)
    assert wanted.args == [post("", "2031-06-13T09:00").at, True]


def test_another_theme_paints_everything_anew(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    spot = hands.cell("2031-06-18").center()
    assert hands.picture().pixelColor(spot) == theme.current().color("surface")
    theme.apply(qapp, "dark")
    assert hands.picture().pixelColor(spot) == theme.current().color("surface")
    assert theme.current().tokens.dark


def test_above_midnight_is_painted_too(take: MakeHands) -> None:
    hands = take(span=Span.WEEK, size=(1_232, 1_500))
    picture = hands.picture()
    surface = theme.current().color("surface")
    assert hands.view.verticalOffset() == 0
    assert picture.pixelColor(40, 2) == surface
    assert picture.pixelColor(40, picture.height() - 2) == surface


def test_loading_shows_quietly_after_a_moment(take: MakeHands, qtbot: QtBot) -> None:
    hands = take()
    nothing = hands.pane.grab().toImage()
    hands.workspace.sync = replace(hands.workspace.sync, last_synced=None, syncing=True)
    hands.workspace.arrive()
    loading = hands.pane.findChildren(Skeleton)[0]
    assert loading.isVisible()
    before = hands.pane.grab().toImage()
    qtbot.waitUntil(loading.is_ripe, timeout=30_000)
    assert nothing != before != hands.pane.grab().toImage()
