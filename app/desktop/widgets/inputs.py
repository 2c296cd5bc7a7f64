"""Inputs with marks that a style sheet can't draw: chevrons, ticks, dots and leading icons."""

import weakref
from collections.abc import Callable

from PySide6.QtCore import (
    QEvent,
    QKeyCombination,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFontMetrics, QHideEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QTextEdit,
    QTimeEdit,
    QWidget,
)

from app.desktop.theme import theme
from app.desktop.theme.theme import grow_icons
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.wheel import scroll_past

_KEY = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Y)


def redo_pressed(editor: QLineEdit | QTextEdit | QPlainTextEdit, event: QEvent) -> bool:
    """Handle Redo at the start of a text's ``event``; return True if the event is used."""
    if not isinstance(event, QKeyEvent) or event.keyCombination() != _KEY or editor.isReadOnly():
        return False
    if event.type() == QEvent.Type.KeyPress:
        editor.redo()
    event.accept()
    return True


Index = QModelIndex | QPersistentModelIndex


class ChoiceList(QListView):
    """The choices of a `QComboBox`.

    Qt treats an item as visible if it has a position in the view, and as focused if it's the current one,
    without checking whether the view is open. A closed list therefore has neither positions nor a current
    item.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_opening = False
        self._closing = QTimer(self, singleShot=True)
        self._closing.timeout.connect(self._clear)

    def open_at(self, row: int, column: int) -> None:
        """Set the current choice before the list opens."""
        self._is_opening = True
        self.setCurrentIndex(self.model().index(row, column, self.rootIndex()))

    def opened(self) -> None:
        """Finish what `open_at` began."""
        self._is_opening = False

    def visualRect(self, index: Index) -> QRect:
        return super().visualRect(index) if self._is_open() else QRect()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._is_open():
            self._closing.start()  # not at once: the combo box reads what typing into it has found

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._closing.start()  # not at once: the combo box reads the choice after closing the list

    def _clear(self) -> None:
        if not self._is_open():
            self.selectionModel().clear()

    def _is_open(self) -> bool:
        return self._is_opening or self.isVisible()


_BOX = 16
_CHEVRON_ROOM = 28
"""Width that the style sheet leaves for the chevron of a combo box, in px."""
_RING = 18
_TRACK = QSize(36, 20)
_KNOB_INSET = 4
TARGET = 24
"""Least height of what is pressed, in px (WCAG 2.5.8)."""
GLYPH = 14
LEADING = 11
_GAP = 6
_CURSOR = 5
"""Room that a line keeps for its cursor, at both ends."""

_SPACING = 10
_WRAPPED = 160
"""Minimum width of a check box whose text wraps, in px at 100 %."""
_HIGHEST = 10_000


class ComboBox(QComboBox):
    """A drop-down list with the theme's chevron."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._find_label: Callable[[], QLabel | None] = lambda: None
        self._have_label()
        self._choices = ChoiceList()
        self._waiting: Callable[[], None] | None = None
        self.setView(self._choices)
        # Qt's own delegate for combo boxes draws a menu, which no style sheet reaches.
        self.setItemDelegate(QStyledItemDelegate(self))
        grow_icons(self)
        scroll_past(self)
        theme.follow(self._restyle)

    def minimumSizeHint(self) -> QSize:
        """Return what its content needs.

        WORKAROUND: Qt returns the minimum of the font that it had at first.
        """
        return self.sizeHint()

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's
        """Set the name.

        WORKAROUND: on Linux, Qt reports the choice as the name, and the name as that of a label next to it.
        """
        super().setAccessibleName(name)
        if (label := self._find_label()) is not None:
            label.setText(name)

    def changeEvent(self, event: QEvent) -> None:
        """Keep the label where Qt looks for it: in the same parent."""
        if event.type() == QEvent.Type.ParentChange:
            self._have_label()
        super().changeEvent(event)

    def _have_label(self) -> None:
        """Let only the parent hold the label: in PySide, a label keeps its buddy even after deletion."""
        parent, label = self.parentWidget(), self._find_label()
        if label is not None:
            label.setParent(parent)
        elif parent is not None:
            label = QLabel(self.accessibleName(), parent)
            label.hide()
            label.setBuddy(self)
            self._find_label = weakref.ref(label)

    def list_when_closed(self, fill: Callable[[], None]) -> None:
        """Change the choices with ``fill``: now, or after the user has chosen, so that none moves away."""
        if self._choices.isVisible():
            self._waiting = fill
        else:
            self._waiting = None
            fill()

    def hidePopup(self) -> None:  # noqa: N802  Qt's
        super().hidePopup()
        QTimer.singleShot(0, self, self._list_waiting)  # Qt reports the choice after this

    def _list_waiting(self) -> None:
        if self._waiting is not None:
            self.list_when_closed(self._waiting)

    def showPopup(self) -> None:  # noqa: N802  Qt's
        self._choices.open_at(self.currentIndex(), self.modelColumn())
        super().showPopup()
        self._choices.opened()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        edge = min(theme.current().grown(GLYPH), _CHEVRON_ROOM - 6)
        area = QRect(self.width() - (_CHEVRON_ROOM + edge) // 2 - 4, 0, edge, self.height())
        glyph(self, area, "chevron-down")

    def _restyle(self) -> None:
        self.setFixedHeight(theme.current().metrics.control)


class LineEdit(QLineEdit):
    """A line of text, optionally with an icon; ``pill``: rounded and low like a chip."""

    def __init__(
        self, text: str = "", icon: str = "", parent: QWidget | None = None, *, pill: bool = False
    ) -> None:
        super().__init__(text, parent)
        self._icon_name = icon
        self.setProperty("pill", pill)
        theme.follow(self._fit)

    def offer_to_clear(self) -> None:
        """Add a button that clears the line, once it first has text.

        Qt looks for the button's icon in all themes of the system, which takes 40 ms.
        """
        once = Qt.ConnectionType.SingleShotConnection
        self.textChanged.connect(lambda _text: self.setClearButtonEnabled(True), once)

    def event(self, event: QEvent) -> bool:
        """Handle Ctrl+Y."""
        return redo_pressed(self, event) or super().event(event)

    def minimumSizeHint(self) -> QSize:
        """Return a size for the complete placeholder."""
        least, metrics = super().minimumSizeHint(), self.fontMetrics()
        missing = metrics.horizontalAdvance(self.placeholderText()) + _CURSOR - metrics.maxWidth()
        return QSize(least.width() + max(0, missing), least.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon_name:
            glyph(self, QRect(LEADING, 0, theme.current().grown(GLYPH), self.height()), self._icon_name)

    def _fit(self) -> None:
        look = theme.current()
        self.setFixedHeight(look.metrics.chip if self.property("pill") else look.metrics.control)
        if self._icon_name:
            self.setTextMargins(look.grown(GLYPH) + _GAP, 0, 0, 0)


class TimeField(QTimeEdit):
    """A time of day in hours and minutes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDisplayFormat("HH:mm")
        lead(self)
        scroll_past(self)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        """Return a size for the complete time next to the icon, which Qt doesn't know about."""
        margins, hint = self.lineEdit().textMargins(), super().sizeHint()
        text = self.fontMetrics().horizontalAdvance("00:00")
        return QSize(margins.left() + text + _CURSOR + margins.right(), hint.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        glyph(self, QRect(LEADING, 0, theme.current().grown(GLYPH), self.height()), "clock")

    def _restyle(self) -> None:
        look = theme.current()
        self.setFixedHeight(look.metrics.control)
        self.lineEdit().setTextMargins(LEADING + look.grown(GLYPH) + _GAP - 2, 0, LEADING - 2, 0)
        self.updateGeometry()


class CheckBox(QCheckBox):
    """A box with a tick; ``wrap``: long text wraps, and the box is next to its first line."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, wrap: bool = False) -> None:
        super().__init__(text, parent)
        self._wraps = wrap
        vertical = QSizePolicy.Policy.Minimum if wrap else QSizePolicy.Policy.Fixed
        policy = QSizePolicy(QSizePolicy.Policy.Preferred if wrap else QSizePolicy.Policy.Minimum, vertical)
        policy.setHeightForWidth(wrap)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        return _choice_size(self, _BOX)

    def minimumSizeHint(self) -> QSize:
        least = self.sizeHint()
        return QSize(theme.current().grown(_WRAPPED), least.height()) if self._wraps else least

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines at a width; -1 if the text doesn't wrap."""
        if not self._wraps:
            return -1
        room = QRect(0, 0, width - theme.current().grown(_BOX) - _SPACING, _HIGHEST)
        lines = QFontMetrics(self.font()).boundingRect(room, Qt.TextFlag.TextWordWrap, self.text())
        return max(self.sizeHint().height(), lines.height() + 2)

    def hitButton(self, pos: object) -> bool:  # noqa: ARG002, N802 - Qt's; the whole widget is the target
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = _indicator(self, _BOX, self.sizeHint().height() if self._wraps else self.height())
        fill, line = _choice_colors(self)
        rounded(painter, box, box.width() / 4, fill=fill, line=line, width=_ring_width(self))
        if self.isChecked():
            inset = box.width() / 8
            draw_icon(painter, box.adjusted(inset, inset, -inset, -inset), "check", "on_accent")
        _label(self, painter, _BOX, wrap=self._wraps)


class Switch(CheckBox):
    """A switch, which applies immediately; name it with its row's title."""

    def sizeHint(self) -> QSize:
        look = theme.current()
        return QSize(look.grown(_TRACK.width()), max(TARGET, look.grown(_TRACK.height())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        track = QRectF(0, 0, look.grown(_TRACK.width()), look.grown(_TRACK.height()))
        track.moveCenter(QRectF(self.rect()).center())
        fill, line = _choice_colors(self)
        rounded(painter, track, track.height() / 2, fill=fill, line=line, width=_ring_width(self))
        knob = track.adjusted(_KNOB_INSET, _KNOB_INSET, -_KNOB_INSET, -_KNOB_INSET)
        knob.setWidth(knob.height())
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        if self.isChecked() is not is_mirrored:
            knob.moveRight(track.right() - _KNOB_INSET)
        unchecked = "text3" if self.isEnabled() else "data2"
        rounded(painter, knob, knob.height() / 2, fill="on_accent" if self.isChecked() else unchecked)


class RadioButton(QRadioButton):
    """A ring with a dot, 18 px wide."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return _choice_size(self, _RING)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:  # noqa: ARG002, N802 - Qt's; the whole widget is the target
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ring = _indicator(self, _RING, self.height())
        fill, line = _choice_colors(self)
        rounded(painter, ring, ring.width() / 2, fill=fill, line=line, width=_ring_width(self))
        if self.isChecked():
            inset = ring.width() * 5 / _RING
            dot = ring.adjusted(inset, inset, -inset, -inset)
            rounded(painter, dot, dot.width() / 2, fill="on_accent")
        _label(self, painter, _RING)


def lead(field: QAbstractSpinBox) -> None:
    """Leave space for a leading icon."""
    field.setProperty("leading", True)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


def glyph(widget: QWidget, area: QRect, name: str) -> None:
    """Draw a muted icon into `area`, mirrored in right-to-left languages."""
    place = QStyle.visualRect(widget.layoutDirection(), widget.rect(), area)
    painter = QPainter(widget)
    draw_icon(painter, QRectF(place), name, "text3")


def _indicator(widget: QWidget, length: int, height: int) -> QRectF:
    """Return the place of a box, vertically centred in a height."""
    edge = theme.current().grown(length)
    area = QRect(0, (height - edge) // 2, edge, edge)
    return QRectF(QStyle.visualRect(widget.layoutDirection(), widget.rect(), area))


def _choice_size(widget: QCheckBox | QRadioButton, length: int) -> QSize:
    edge = theme.current().grown(length)
    metrics = QFontMetrics(widget.font())
    label = metrics.horizontalAdvance(widget.text()) + _SPACING if widget.text() else 0
    return QSize(edge + label, max(TARGET, edge, metrics.height() + 2))


def _choice_colors(widget: QCheckBox | QRadioButton) -> tuple[str, str]:
    """Return the colour roles of fill and outline."""
    if not widget.isEnabled():
        return ("data2" if widget.isChecked() else "sunken"), "line"
    if widget.isChecked():
        return "accent", ("text" if shows_focus(widget) else "accent")
    return "surface", ("accent" if shows_focus(widget) else "text3")


def _ring_width(widget: QWidget) -> float:
    return 2.0 if shows_focus(widget) else 1.0


def _label(widget: QCheckBox | QRadioButton, painter: QPainter, length: int, *, wrap: bool = False) -> None:
    edge = theme.current().grown(length)
    area = QRect(edge + _SPACING, 0, widget.width() - edge - _SPACING, widget.height())
    place = QStyle.visualRect(widget.layoutDirection(), widget.rect(), area)
    painter.setPen(theme.current().color("text" if widget.isEnabled() else "text3"))
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading | Qt.TextFlag.TextHideMnemonic
    if wrap:
        flags |= Qt.TextFlag.TextWordWrap
    painter.drawText(place, int(flags), widget.text())
