"""What is cut off: texts that do not fit where they stand, widgets that overlap, a window that grows."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.desktop.analytics.line_card import EndNames
from app.desktop.analytics.post_table import PostTable
from app.desktop.calendar.day_sheet import DayRows
from app.desktop.calendar.headers import HourRuler
from app.desktop.calendar.view import CalendarView
from app.desktop.changes import StepPanel
from app.desktop.drafts.list import DraftList
from app.desktop.exchange.rows import RowsGrid
from app.desktop.history.list import RecordList
from app.desktop.media.details import UseRow
from app.desktop.media.grid import MediaGrid
from app.desktop.palette.keyboard_help import HelpRow
from app.desktop.palette.result_list import ResultList
from app.desktop.shell.next_post import NextPost
from app.desktop.webhooks.deliveries import DeliveryList
from app.desktop.webhooks.subscriptions import SubscriptionList
from app.desktop.welcome.picture import WelcomePicture
from app.desktop.widgets import Chip, ElidedLabel, ZonePicker
from tests.gallery.measure.texts import HAIR, Text, around, is_covered, scrolling

ELLIPSIS = "…"
_MAY_SHORTEN = (
    ElidedLabel,  # its tooltip has the whole
    ZonePicker,  # the same
    CalendarView,  # headlines on cards; the tooltip and the inspector have the whole
    DayRows,  # the same posts
    RecordList,  # the history's posts; the panel has the whole
    PostTable,  # headlines; a click opens the post
    DraftList,  # first words of drafts; a click opens the draft
    StepPanel,  # what was changed; the tooltip has the whole
    ResultList,  # what the palette found; Enter opens it
    MediaGrid,  # names of files; the panel has the whole
    UseRow,  # headlines of posts that use a file; a click opens the post
    DeliveryList,  # ids and addresses; the panel below has the whole
    SubscriptionList,  # the same
    RowsGrid,  # cells of a table; the tooltip has the whole
    NextPost,  # the post's first words; the tooltip has the whole
    EndNames,  # names of lines; the legend has the whole
)
"""Where names and headlines end early by intent."""


def cut_texts(texts: list[Text]) -> Iterator[tuple[Text, str]]:
    """The texts of which a part is lost, and how."""
    for text in texts:
        is_picture = isinstance(text.widget, WelcomePicture)  # a calendar that runs out of the window
        if not is_picture and not is_covered(text) and (lost := _lost(text)):
            yield text, lost


def shortened(texts: list[Text]) -> Iterator[Text]:
    """The texts that end early, with an ellipsis that is not in what the widget says."""
    for text in texts:
        said = _said_by(text.widget).replace("&", "")
        if ELLIPSIS in text.words and text.words.strip() not in said and not is_covered(text):
            yield text


def may_shorten(text: Text) -> bool:
    """Whether its widget gives the whole text in another way, such as a tooltip."""
    shown_on_hover = text.widget.toolTip()
    if getattr(text.widget, "shows_name", False):
        shown_on_hover += text.widget.accessibleName()
    if isinstance(view := scrolling(text.widget), QAbstractItemView):
        item = view.indexAt(text.writing.ink.center().toPoint())
        shown_on_hover += item.data(Qt.ItemDataRole.ToolTipRole) or ""
    if text.words.partition(ELLIPSIS)[0] in shown_on_hover:
        return True
    return any(isinstance(widget, _MAY_SHORTEN) for widget in around(text.widget))


def overlapping(texts: list[Text]) -> Iterator[tuple[Text, Text]]:
    """Texts that are written over each other."""
    placed = [(text, text.shown(text.writing.ink)) for text in texts if not is_covered(text)]
    placed.sort(key=lambda one: one[1].top())
    for number, (text, area) in enumerate(placed):
        for other, place in placed[number + 1 :]:
            if place.top() > area.bottom():
                break
            common = area & place
            if isinstance(other.widget, WelcomePicture):
                continue  # a tooltip that covers the number of a day
            if min(common.width(), common.height()) > 2 * HAIR and not _is_one(text, other):
                yield text, other


def _is_one(text: Text, other: Text) -> bool:
    """Whether it is a word that is written twice, as those are that are underlined or chosen."""
    at, again = text.on_window(text.writing.ink), other.on_window(other.writing.ink)
    return text.words == other.words and (at.center() - again.center()).manhattanLength() < HAIR


def crossing(window: QWidget) -> Iterator[tuple[QWidget, QWidget]]:
    """Yield neighbouring widgets that overlap because they have less room than they need."""
    for widget in (window, *window.findChildren(QWidget)):
        layout = widget.layout()
        if layout is not None and widget.isVisible():
            yield from _crossing_in(layout)
        elif widget.isVisible() and scrolling(widget) is None:
            chips = widget.findChildren(Chip, options=Qt.FindChildOption.FindDirectChildrenOnly)
            yield from _crossing_of([chip for chip in chips if chip.isVisible()])


def _crossing_in(layout: QLayout) -> Iterator[tuple[QWidget, QWidget]]:
    items = [item for item in map(layout.itemAt, range(layout.count())) if item is not None]
    for inner in (item.layout() for item in items):
        if inner is not None:
            yield from _crossing_in(inner)
    if isinstance(layout, QBoxLayout | QGridLayout):
        shown = [widget for item in items if (widget := item.widget()) is not None and widget.isVisible()]
        yield from _crossing_of(shown)


def _crossing_of(shown: Sequence[QWidget]) -> Iterator[tuple[QWidget, QWidget]]:
    for number, one in enumerate(shown):
        for other in shown[number + 1 :]:
            common = one.geometry() & other.geometry()
            if min(common.width(), common.height()) > HAIR:
                yield one, other


def _lost(text: Text) -> str:
    """How a part of a text is lost; "" when all of it can be seen, scrolling if need be."""
    if _scrolls_inside(text.widget):
        return ""
    ink = QRectF(text.writing.ink)
    if (place := text.writing.place) is not None:
        if wide := _beyond(ink.left(), ink.right(), place.left(), place.right()):
            return f"{wide:.0f} px wider than its card or picture"
        if high := _beyond(ink.top(), ink.bottom(), place.top(), place.bottom()):
            return f"{high:.0f} px higher than its card or picture"
    for widget in around(text.widget):
        bounds = QRectF(widget.rect())
        if widget is text.widget and text.writing.clip is not None and scrolling(widget) is None:
            bounds &= text.writing.clip
        wide = _beyond(ink.left(), ink.right(), bounds.left(), bounds.right())
        if wide and not _reaches(widget, wide=True):
            return f"{wide:.0f} px wider than {_name(widget)}"
        high = _beyond(ink.top(), ink.bottom(), bounds.top(), bounds.bottom())
        if high and not _reaches(widget, wide=False):
            return f"{high:.0f} px higher than {_name(widget)}"
        ink = (ink & bounds).translated(widget.pos())
        if ink.isEmpty():
            return ""
    return ""


def _beyond(start: float, end: float, first: float, last: float) -> float:
    """By how much something is out of its bounds."""
    out = max(first - start, end - last)
    return out if out > HAIR else 0.0


def _reaches(widget: QWidget, *, wide: bool) -> bool:
    """Whether the rest can be scrolled to."""
    area = scrolling(widget)
    if area is None:
        return isinstance(widget, HourRuler)  # it scrolls with the days next to it
    if isinstance(area, QHeaderView) and isinstance(table := area.parentWidget(), QAbstractScrollArea):
        area = table  # a header has no bars of its own
    bar = area.horizontalScrollBar() if wide else area.verticalScrollBar()
    return bar.maximum() > bar.minimum()


def _scrolls_inside(widget: QWidget) -> bool:
    """Whether it is where a person writes: the text moves with the cursor. A placeholder does not."""
    if isinstance(widget, QLineEdit):
        return bool(widget.text())
    area = scrolling(widget)
    return isinstance(area, QPlainTextEdit | QTextEdit)


def _said_by(widget: QWidget) -> str:
    if isinstance(widget, ElidedLabel):
        return widget.text() if widget.shown_text() == widget.text() else ""
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return (
            f"{widget.text()} {widget.placeholderText()}" if isinstance(widget, QLineEdit) else widget.text()
        )
    if isinstance(widget, HelpRow):
        return widget.name
    if isinstance(widget, QMenu):
        return " ".join(action.text() for action in widget.actions())
    return widget.currentText() if isinstance(widget, QComboBox) else ""


def _name(widget: QWidget) -> str:
    return type(widget).__name__
