"""What the days look like: every look, theme and size without a complaint of Qt, and nothing out of date."""

from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QFont, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app import language
from app.contract.enums import PostStatus, PostType
from app.desktop.calendar.cards import CardPainter
from app.desktop.calendar.days import LocalDays, Span
from app.desktop.calendar.filters import Filter
from app.desktop.calendar.looks import Look, short_note_of
from app.desktop.calendar.placement import Box, CardStyle
from app.desktop.theme import theme
from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets.text import ELLIPSIS, TextFitter
from app.language import LANGUAGES, trc
from app.platforms.advice import KINDS
from app.platforms.base import FailureKind
from app.workspace.posts.planned import PlannedPost, SyncState
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import account, post

ACCOUNTS = (account("studio"), account("trial", "x", color=2, practice=True))
LONG = "Donaudampfschifffahrtsgesellschaftskapitän 👩‍👩‍👧 und ein Text, der erst endet, wenn die Karte endet"


def every_look() -> list[PlannedPost]:
    posts = [
        post("planned", "2031-06-11T09:00"),
        post("long", "2031-06-11T09:20", LONG, kind=PostType.IMAGE),
        post("practice", "2031-06-12T09:00", account_key="trial", platform="x", kind=PostType.VIDEO),
        post("published", "2031-06-02T09:00", status=PostStatus.POSTED),
        post("going", "2031-06-10T09:00", status=PostStatus.PROCESSING),
        post("failed", "2031-06-03T09:00", status=PostStatus.FAILED, reason="Permission missing"),
        post("unclear", "2031-06-04T09:00", status=PostStatus.FAILED, may_be_live=True, reason="No response"),
        post("waiting", "2031-06-13T09:00", sync=SyncState.WAITING),
        post("cancelled", "2031-06-13T12:00", status=PostStatus.CANCELLED),
        post("empty", "2031-06-13T23:50", ""),
        post("stranger", "2031-06-14T00:01", account_key="gone"),
    ]
    return posts + [post(f"many {n}", f"2031-06-12T1{n}:10", kind=PostType.IMAGE) for n in range(8)]


@pytest.mark.parametrize("size", [(592, 480), (792, 772), (1232, 872), (2_400, 1_300)])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_look_is_painted_in_every_theme_and_size(
    take: MakeHands, qapp: QApplication, mode: theme.Mode, size: tuple[int, int]
) -> None:
    theme.apply(qapp, mode)
    hands = take(*every_look(), accounts=ACCOUNTS, size=size)
    pictures = []
    for span in Span:
        hands.show(span, "2031-06-11")
        hands.choose("planned")
        pictures.append(hands.picture())
    assert pictures[0] != pictures[1]
    assert hands.pane.minimumSizeHint().width() <= 592


_STATES = (
    post("failed", "2031-06-03T09:00", "A", status=PostStatus.FAILED, reason=KINDS[FailureKind.PERMISSION]),
    post("unclear", "2031-06-04T09:00", "A", status=PostStatus.FAILED, may_be_live=True),
    post("conflict", "2031-06-14T09:00", "A", sync=SyncState.CONFLICT),
)


@pytest.fixture
def written(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are painted from now on, in the light theme."""
    theme.apply(qapp, "light")  # views of earlier tests may write
    texts: list[str] = []

    def write(_self: TextFitter, _painter: QPainter, _left: float, _baseline: float, text: str) -> None:
        texts.append(text)

    monkeypatch.setattr(TextFitter, "write", write)
    return texts


@pytest.mark.parametrize("one", _STATES, ids=[one.key for one in _STATES])
@pytest.mark.parametrize("width", [74, 82, 120, 200])
def test_the_words_of_a_state_are_never_cut(written: list[str], one: PlannedPost, width: int) -> None:
    canvas = QImage(300, 100, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    cards = CardPainter(LocalDays(ZoneInfo("Europe/Lisbon")), lambda _key: None)
    cards.paint(painter, one, Box(0, 0, width, 54), CardStyle.TALL, one.at, 1.0, timed=False)
    painter.end()
    head, note = written
    assert head == "A"
    assert note
    assert not note.endswith(ELLIPSIS)


@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_new_posts_are_counted_whole_or_not_at_all(
    qapp: QApplication, written: list[str], count: int, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    canvas = QImage(900, 200, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    cards = CardPainter(LocalDays(ZoneInfo("Europe/Lisbon")), lambda _key: None)
    new = post("new", "2031-06-14T09:00", f"{count} new posts")
    told = set[str]()
    for width in range(16, 400):
        written.clear()
        cards.paint_new(painter, new, Box(0, 0, round(width * scale), round(54 * scale)), count)
        told.add(" ".join(text for text in written if ":" not in text))
    painter.end()
    theme.apply(qapp, "light")
    assert told == {"", str(count), f"{count} new posts"}


def test_an_ellipsis_never_stands_alone_on_a_card(written: list[str]) -> None:
    canvas = QImage(300, 100, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    cards = CardPainter(LocalDays(ZoneInfo("Europe/Lisbon")), lambda _key: None)
    one = post("one", "2031-06-14T09:00", "Winter lookbook")
    for width in range(16, 200):
        cards.paint(painter, one, Box(0, 0, width, 54), CardStyle.TALL, one.at, 1.0, timed=False)
    painter.end()
    assert written
    assert ELLIPSIS not in written


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_the_fewest_words_of_a_state_fit_in_every_language(qapp: QApplication, code: str) -> None:
    theme.apply(qapp, "light")
    writer = TextFitter(theme.current().font("small", QFont.Weight.Medium))
    language.use(code)
    try:
        words = [trc("on a narrow card", word) for word in map(short_note_of, Look) if word]
    finally:
        language.use("en")
    assert len(set(words)) == 5
    assert [word for word in words if writer.width(word) > 58] == []


def as_new(take: MakeHands, hands: Hands, span: Span = Span.MONTH) -> QImage:
    """A new calendar of the same posts."""
    other = take(*hands.workspace.posts.all(), span=span)
    return other.picture()


def test_the_month_knows_what_changed_while_the_week_showed(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.picture()
    hands.show(Span.WEEK, "2031-06-12")
    hands.workspace.arrive(post("a", "2031-06-13T08:00", "Another"))
    hands.show(Span.MONTH, "2031-06-12")
    assert hands.picture() == as_new(take, hands)


def test_the_month_knows_what_was_filtered_while_the_week_showed(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    hands.picture()
    hands.show(Span.WEEK, "2031-06-12")
    hands.pane.filters.changed.emit(Filter(kinds=frozenset({PostType.VIDEO})))
    hands.show(Span.MONTH, "2031-06-12")
    assert hands.picture() != as_new(take, hands)


def test_other_pixels_are_painted_anew(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    page = hands.view.page
    day = page.days.place(hands.post("a").at).day
    hands.picture()
    page.set_ratio(2.0)
    assert not page.is_painted(day, hands.view.visible)
    QApplication.sendEvent(hands.pane.grid, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert hands.view.page.ratio == hands.view.devicePixelRatioF()
    hands.picture()
    assert page.is_painted(day, hands.view.visible)


def test_a_page_of_another_size_gives_back_its_pictures(take: MakeHands) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    page, shown = hands.view.page, hands.view.visible
    day = page.days.place(hands.post("a").at).day
    hands.picture()
    assert page.is_painted(day, shown)
    hands.pane.resize(hands.pane.size() + QSize(160, 0))
    hands.picture()
    assert hands.view.page is not page
    assert not page.is_painted(day, shown)


def test_larger_text_is_painted_anew(take: MakeHands, qapp: QApplication) -> None:
    hands = take(post("a", "2031-06-12T08:00"))
    before = hands.picture()
    theme.apply(qapp, "light", 1.3)
    assert hands.picture() != before
    theme.apply(qapp, "light")
    assert hands.picture() == before


def test_the_stroke_through_a_text_stays_on_it(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    font = theme.current().font("card")
    font.setStrikeOut(True)
    fitter = TextFitter(font)
    width = round(fitter.width("Last hours")) + 2

    def written(moved: int) -> QImage:
        """The text from a painter that was moved, cut to where it belongs."""
        picture = QImage(3 * width, 30, QImage.Format.Format_RGB32)
        picture.fill(LIGHT.surface)
        painter = QPainter(picture)
        painter.translate(moved, 0)
        fitter.write(painter, 0, 20, "Last hours")
        painter.end()
        return picture.copy(moved, 0, width, 30)

    assert written(0) == written(width)


@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, Span.AGENDA])
def test_a_chosen_card_keeps_the_bar_of_its_account(take: MakeHands, qapp: QApplication, span: Span) -> None:
    theme.apply(qapp, "light")
    hands = take(post("a", "2031-06-12T08:00"), accounts=ACCOUNTS, span=span)
    hands.show(span, "2031-06-12")
    hands.choose("a")
    card = hands.card("a")
    color = hands.picture().pixelColor(card.left() + 1, card.center().y()).name().upper()
    assert color == LIGHT.account(1)


def test_the_last_column_ends_in_one_hairline(take: MakeHands, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    hands = take(post("a", "2031-06-12T08:00"))
    grid = hands.pane.grid
    picture = grid.grab().toImage()
    edge = [picture.pixelColor(grid.width() - n, grid.height() // 2).name().upper() for n in (1, 2)]
    assert edge == [LIGHT.line, LIGHT.surface]


@pytest.mark.parametrize("span", list(Span))
def test_time_runs_from_the_left_whatever_the_language(
    take: MakeHands, qapp: QApplication, span: Span
) -> None:
    hands = take(*every_look(), accounts=ACCOUNTS, span=span)
    hands.show(span, "2031-06-11")
    before = hands.pane.grid.grab().toImage()
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        hands.pane.grid.refresh_accounts()
        assert hands.pane.grid.grab().toImage() == before
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_a_pointer_that_rests_on_a_card_reads_all_of_it(take: MakeHands, qtbot: QtBot) -> None:
    hands = take(post("a", "2031-06-12T08:00", LONG))
    surface = hands.view.viewport()

    def rest(point: QPoint) -> None:
        event = QHelpEvent(QEvent.Type.ToolTip, point, surface.mapToGlobal(point))
        QApplication.sendEvent(surface, event)

    rest(hands.card("a").center())
    assert " ".join(QToolTip.text().split()).startswith(" ".join(LONG.split()))
    rest(hands.cell("2031-06-20").center())
    qtbot.waitUntil(lambda: not QToolTip.isVisible(), timeout=30_000)
    hands.workspace.arrive(post("a", "2031-06-12T08:00", "Use <b> for & against <ul>"))
    rest(hands.card("a").center())
    assert "Use <b> for & against <ul>" in " ".join(QToolTip.text().split())
