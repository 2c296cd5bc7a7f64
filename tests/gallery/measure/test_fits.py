"""What counts as cut off, and what does not."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QScrollArea, QVBoxLayout, QWidget

from app.desktop.widgets import ElidedLabel, primary
from tests.gallery.measure.findings import Tally, measure_fits
from tests.gallery.measure.texts import texts_of

pytestmark = pytest.mark.usefixtures("qapp")
_LONG = "Everything that is to be published this week"


class _Painted(QWidget):
    """Writes into a part of itself, as lists do."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawText(QRect(0, 0, 60, 20), Qt.AlignmentFlag.AlignVCenter, _LONG)


def _narrow(widget: QWidget) -> QWidget:
    widget.setFixedWidth(60)
    return widget


def _low(widget: QWidget) -> QWidget:
    widget.setFixedSize(200, 20)
    return widget


def _wrapped(height: int) -> QWidget:
    label = QLabel(_LONG)
    label.setWordWrap(True)
    label.setFixedSize(120, height)
    return label


def _scrolled(height: int) -> QWidget:
    area = QScrollArea()
    area.setWidget(_wrapped(200))
    area.setFixedSize(160, height)
    return area


def _with_placeholder() -> QWidget:
    line = QLineEdit()
    line.setPlaceholderText(_LONG)
    return _narrow(line)


def _shortened_by_itself() -> QWidget:
    return _narrow(ElidedLabel(_LONG))


def _listed(tooltip: str) -> QWidget:
    names = QListWidget()
    names.addItem(_LONG)
    names.item(0).setToolTip(tooltip)
    names.item(0).setSizeHint(QSize(50, 20))
    return _narrow(names)


def found(widget: QWidget) -> list[str]:
    """The kinds of what is found on a window that holds a widget."""
    window = QWidget()
    column = QVBoxLayout(window)
    column.addWidget(widget)
    column.addStretch()
    window.show()
    tally = Tally()
    measure_fits(tally, "scene", "100 %", window, texts_of(window))
    window.close()
    return [one.kind for one in tally.findings]


@pytest.mark.parametrize(
    "make",
    [
        lambda: _narrow(QLabel(_LONG)),
        lambda: _narrow(primary(_LONG)),
        lambda: _low(_Painted()),
        lambda: _wrapped(20),
        _with_placeholder,
    ],
    ids=["label", "button", "painted", "too low", "placeholder"],
)
def test_a_text_that_does_not_fit_is_cut(make: Callable[[], QWidget]) -> None:
    assert set(found(make())) & {"cut", "shortened"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: QLabel(_LONG),
        lambda: primary(_LONG),
        lambda: _wrapped(120),
        lambda: _scrolled(40),
        lambda: _narrow(QLineEdit(_LONG)),
        _shortened_by_itself,
    ],
    ids=["label", "button", "wrapped", "scrolls", "input", "elided"],
)
def test_what_fits_scrolls_or_says_so_is_not_cut(make: Callable[[], QWidget]) -> None:
    assert found(make()) == []


def test_an_ellipsis_that_nothing_explains_is_told() -> None:
    class Shortens(QWidget):
        def paintEvent(self, _event: QPaintEvent) -> None:
            QPainter(self).drawText(4, 14, "Everyth…")

    widget = Shortens()
    widget.setFixedSize(100, 20)
    assert found(widget) == ["shortened"]


@pytest.mark.parametrize(
    ("tooltip", "kinds"), [(_LONG, []), ("", ["shortened"]), ("Not the rest", ["shortened"])]
)
def test_a_name_in_a_list_may_end_early_where_its_own_tooltip_has_the_rest(
    tooltip: str, kinds: list[str]
) -> None:
    assert found(_listed(tooltip)) == kinds


def test_texts_over_each_other_are_told() -> None:
    both = QWidget()
    both.setFixedSize(300, 20)
    one, other = QLabel(_LONG, both), QLabel("Nothing else", both)
    one.setGeometry(0, 0, 300, 20)
    other.setGeometry(200, 0, 80, 20)
    assert found(both) == ["overlap"]
