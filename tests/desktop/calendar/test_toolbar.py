"""The toolbar in little room: what shows keeps its size, and nothing overlaps."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.contract.enums import PostStatus
from app.desktop.calendar.days import Span
from app.desktop.calendar.filters import Filter
from app.desktop.theme import theme
from app.desktop.warnings.wording import Summary
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands

VARIATION = pytest.mark.variation


def shown(hands: Hands) -> list[QWidget]:
    """The visible parts from left to right."""
    row = hands.pane.toolbar.layout()
    assert row is not None
    parts = [item.widget() for item in map(row.itemAt, range(row.count())) if item is not None]
    return [part for part in parts if part is not None and part.isVisible() and part.width() > 0]


@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, pytest.param(Span.DAY, marks=VARIATION)])
@pytest.mark.parametrize(
    "width", [296, 340, 460, 628, *(pytest.param(at, marks=VARIATION) for at in (900, 1_232))]
)
@pytest.mark.parametrize("scale", [1.0, pytest.param(1.5, marks=VARIATION), 2.0])
def test_no_part_overlaps_another(
    take: MakeHands, qapp: QApplication, scale: float, width: int, span: Span
) -> None:
    theme.apply(qapp, "light", scale)
    hands = take(size=(width, 600), span=span)
    hands.picture()
    parts = shown(hands)
    assert all(left.x() + left.width() <= right.x() for left, right in pairwise(parts))
    assert parts[-1].x() + parts[-1].width() <= hands.pane.toolbar.width()
    assert all(part.width() >= part.minimumSizeHint().width() for part in parts)


def test_the_title_is_at_least_as_large_as_text_before_the_views_are_left_out(
    take: MakeHands, qapp: QApplication
) -> None:
    theme.apply(qapp, "light", 2.0)
    hands = take(size=(628, 600))
    hands.picture()
    title, _ = hands.pane.toolbar.go_to._fonts
    assert not hands.pane.toolbar.span.isVisible()
    assert title.pixelSize() >= theme.current().font("text").pixelSize()


@pytest.mark.parametrize(
    "width", [pytest.param(at, marks=() if at % 60 == 20 else VARIATION) for at in range(440, 640, 20)]
)
def test_the_title_has_its_full_size_where_the_year_fits(take: MakeHands, width: int) -> None:
    hands = take(size=(width, 600))
    hands.pane.filters.choose(Filter(statuses=frozenset({PostStatus.FAILED, PostStatus.CANCELLED})))
    hands.picture()
    title = hands.pane.toolbar.go_to
    assert title._fonts[0].pixelSize() == theme.current().font("title").pixelSize() or not title._shows_year


@pytest.mark.parametrize(
    "span", [pytest.param(span, marks=() if span in (Span.MONTH, Span.WEEK) else VARIATION) for span in Span]
)
def test_all_parts_that_stay_fit_beside_the_widest_panel(
    take: MakeHands, qapp: QApplication, span: Span
) -> None:
    theme.apply(qapp, "light", 2.0)
    hands = take(size=(296, 600), span=span)
    pane, bar = hands.pane, hands.pane.toolbar
    pane.filters.show_warnings(Summary("2 posts will fail", "2 will fail", "2"))
    pane.filters.choose(Filter(statuses=frozenset({PostStatus.FAILED})))
    hands.picture()
    assert pane.minimumSizeHint().width() <= 296
    row = bar.layout()
    assert row is not None
    assert row.sizeHint().width() <= bar.width()
    assert pane.filters.warnings.isVisible()
    assert pane.filters.button.isChecked()


@pytest.mark.parametrize(
    "width", [pytest.param(at, marks=() if at % 72 == 8 else VARIATION) for at in range(296, 560, 12)]
)
def test_both_arrows_are_shown_or_neither(take: MakeHands, qapp: QApplication, width: int) -> None:
    theme.apply(qapp, "light", 2.0)
    hands = take(size=(width, 600), span=Span.WEEK)
    hands.picture()
    assert hands.pane.toolbar.back.isVisible() == hands.pane.toolbar.forward.isVisible()


@pytest.mark.parametrize("span", list(Span))
@pytest.mark.parametrize("day", ["2031-06-11", "2031-07-01"])
def test_the_views_are_the_last_part_to_be_left_out(take: MakeHands, span: Span, day: str) -> None:
    hands = take(size=(1_232, 600), span=span, day=day)
    bar, row = hands.pane.toolbar, hands.pane.toolbar.layout()
    assert row is not None
    hands.pane.filters.show_warnings(Summary("4 posts will fail", "4 will fail", "4"))
    hands.pane.filters.choose(Filter(statuses=frozenset({PostStatus.FAILED})))
    bar.fit(1)
    for part in (bar.back, bar.forward, bar.span):
        part.show()
    row.invalidate()
    least = row.sizeHint().width()
    bar.fit(2_000)
    assert row.sizeHint().width() > least
    bar.fit(least)
    assert bar.span.isVisible()
    assert bar.back.isVisible()


@pytest.mark.parametrize(
    "width", [pytest.param(at, marks=() if at % 60 == 20 else VARIATION) for at in range(440, 900, 20)]
)
def test_no_button_is_left_out_where_it_would_fit(take: MakeHands, width: int) -> None:
    hands = take(size=(width, 600), span=Span.DAY)
    hands.picture()
    bar, row = hands.pane.toolbar, hands.pane.toolbar.layout()
    assert row is not None
    room = bar.width() - row.sizeHint().width()
    for part in (bar._today, bar._new):
        assert part.isVisible() or part.sizeHint().width() + row.spacing() > room


@pytest.mark.parametrize(
    "width", [340, 628, *(pytest.param(at, marks=VARIATION) for at in (460, 900, 1_232))]
)
def test_every_button_that_does_not_fit_is_in_the_menu(
    take: MakeHands, qapp: QApplication, width: int
) -> None:
    theme.apply(qapp, "light", 1.5)
    hands = take(size=(width, 600))
    bar = hands.pane.toolbar
    parts = shown(hands)
    bar.more.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    entries = {action.text(): action for action in menu.actions()}
    menu.close()
    names = {"New post": bar._new, "Today": bar._today, "Next month": bar.forward, "Week": bar.span}
    assert {name for name in names if name in entries} == {
        name for name, part in names.items() if part not in parts
    }
    if "Week" in entries:
        entries["Week"].trigger()
        assert hands.pane.grid.span is Span.WEEK


def test_the_arrows_point_away_from_today_whichever_way_words_run(
    take: MakeHands, qapp: QApplication
) -> None:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        bar = take().pane.toolbar
        bar.fit(1_200)
        assert bar.back.x() < bar.forward.x()
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_the_filter_and_the_warning_are_as_high_as_the_buttons_beside_them(take: MakeHands) -> None:
    hands = take(size=(1_232, 600))
    filters = hands.pane.filters
    filters.show_warnings(Summary("2 posts will fail", "2 will fail", "2"))
    hands.picture()
    heights = {part.height() for part in (filters.button, filters.warnings, hands.pane.toolbar.span)}
    assert heights == {theme.current().metrics.control}
