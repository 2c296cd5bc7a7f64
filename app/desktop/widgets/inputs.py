"""Inputs with the marks that a style sheet cannot draw: chevrons, ticks, dots, and a glyph in front."""

from PySide6.QtCore import QDate, QLocale, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QTextCharFormat
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCalendarWidget,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QTimeEdit,
    QToolButton,
    QWidget,
)

from app import language
from app.desktop import week
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.language import trc

_BOX = 16
_RING = 18
_GLYPH = 14
_LEADING = 11
_GAP = 6
_CURSOR = 5
"""Room that a line keeps for its cursor, at both ends."""

_SPACING = 10
_ARROWS = {"qt_calendar_prevmonth": "chevron-left", "qt_calendar_nextmonth": "chevron-right"}


class ComboBox(QComboBox):
    """A drop-down list with the theme's chevron."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Qt's own delegate for combo boxes draws a menu, which no style sheet reaches.
        self.setItemDelegate(QStyledItemDelegate(self))

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's
        """Name it. On Linux Qt tells the choice as the name, so that the description has to hold it, too."""
        super().setAccessibleName(name)
        self.setAccessibleDescription(name)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        area = QRect(self.width() - _GLYPH - _LEADING, 0, _GLYPH, self.height())
        _glyph(self, area, "chevron-down")


class LineEdit(QLineEdit):
    """A line of text, optionally with a glyph in front."""

    def __init__(self, text: str = "", icon: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._icon_name = icon
        if icon:
            self.setTextMargins(_GLYPH + _GAP, 0, 0, 0)

    def minimumSizeHint(self) -> QSize:
        """Room for the whole of what stands in it while it is empty."""
        least, metrics = super().minimumSizeHint(), self.fontMetrics()
        missing = metrics.horizontalAdvance(self.placeholderText()) + _CURSOR - metrics.maxWidth()
        return QSize(least.width() + max(0, missing), least.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon_name:
            _glyph(self, QRect(_LEADING, 0, _GLYPH, self.height()), self._icon_name)


class MonthCalendar(QCalendarWidget):
    """A month to choose a day from, in the theme's colours; today is red, the chosen day blue."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        self.setFirstDayOfWeek(Qt.DayOfWeek(week.first_weekday() + 1))
        theme.follow(self._restyle)

    def paintCell(self, painter: QPainter, rect: QRect, date: QDate) -> None:  # noqa: N802  Qt's
        """Paint one day as the calendar itself would: a pill for today, a quiet one beside the month."""
        look = theme.current()
        is_chosen, is_today = date == self.selectedDate(), date == QDate.currentDate()
        fill = "rubric" if is_today else "accent" if is_chosen else None
        beside = (date.year(), date.month()) != (self.yearShown(), self.monthShown())
        ink = f"on_{fill}" if fill else "text3" if beside else "text"
        painter.save()
        painter.fillRect(rect, look.color("raised"))
        if fill:
            height = min(rect.height() - 4, look.metrics.chip - 2)
            pill = QRectF(0, 0, min(rect.width() - 4, round(height * 1.4)), height)
            pill.moveCenter(QRectF(rect).center())
            rounded(painter, pill, height / 2, fill=fill)
            if is_chosen and is_today:
                rounded(painter, pill.adjusted(-2, -2, 2, 2), height / 2 + 2, line="accent", width=2)
        painter.setFont(look.font("clock", QFont.Weight.DemiBold if fill else None))
        painter.setPen(look.color(ink))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(date.day()))
        painter.restore()

    def sizeHint(self) -> QSize:
        """Room for days that one can hit."""
        chip = theme.current().metrics.chip
        return super().sizeHint().expandedTo(QSize(round(10.5 * chip), 9 * chip))

    def _restyle(self) -> None:
        """Keep weekends out of Qt's red, which here means today, and give the arrows the theme's colour."""
        head = QTextCharFormat()
        head.setForeground(theme.current().color("text3"))
        self.setHeaderTextFormat(head)
        for weekday in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.setWeekdayTextFormat(weekday, head)
        for name, glyph in _ARROWS.items():
            arrow = self.findChild(QToolButton, name)
            if isinstance(arrow, QToolButton):
                arrow.setIcon(icons.icon(glyph, "text2"))


class DateField(QDateEdit):
    """A day with its weekday; the glyph in front opens a calendar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale(language.current()))  # Qt's own names of days and months are the system's
        self.setDisplayFormat(trc("Qt's format of dates", "ddd d MMM yyyy"))
        self.setCalendarPopup(True)
        self.setCalendarWidget(MonthCalendar())
        _lead(self)

    def stepBy(self, steps: int) -> None:  # noqa: N802  Qt's
        """Go on to the next days past the end of a week or a month, where Qt would stop."""
        if self.currentSection() is QDateEdit.Section.DaySection:  # also that of the weekday
            self.setDate(self.date().addDays(steps))
        else:
            super().stepBy(steps)

    def stepEnabled(self) -> QDateEdit.StepEnabledFlag:  # noqa: N802  Qt's
        return QDateEdit.StepEnabledFlag.StepUpEnabled | QDateEdit.StepEnabledFlag.StepDownEnabled

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        _glyph(self, QRect(_LEADING, 0, _GLYPH, self.height()), "calendar-days")


class TimeField(QTimeEdit):
    """A time of day, by hours and minutes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDisplayFormat("HH:mm")
        self.lineEdit().setTextMargins(_LEADING + _GLYPH + _GAP - 2, 0, _LEADING - 2, 0)
        _lead(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        _glyph(self, QRect(_LEADING, 0, _GLYPH, self.height()), "clock")


class CheckBox(QCheckBox):
    """A box with a tick."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return _choice_size(self, _BOX)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:  # noqa: ARG002, N802 - Qt's; the whole widget is the target
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = _indicator(self, _BOX)
        fill, line = _choice_colors(self)
        rounded(painter, box, 4, fill=fill, line=line, width=_ring_width(self))
        if self.isChecked():
            draw_icon(painter, box.adjusted(2, 2, -2, -2), "check", "on_accent")
        _label(self, painter, _BOX)


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
        ring = _indicator(self, _RING)
        fill, line = _choice_colors(self)
        rounded(painter, ring, _RING / 2, fill=fill, line=line, width=_ring_width(self))
        if self.isChecked():
            dot = ring.adjusted(5, 5, -5, -5)
            rounded(painter, dot, dot.width() / 2, fill="on_accent")
        _label(self, painter, _RING)


def _lead(field: QAbstractSpinBox) -> None:
    field.setProperty("leading", True)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


def _glyph(widget: QWidget, area: QRect, name: str) -> None:
    """Draw a quiet glyph into `area`, mirrored where the language runs from right to left."""
    place = QStyle.visualRect(widget.layoutDirection(), widget.rect(), area)
    painter = QPainter(widget)
    draw_icon(painter, QRectF(place), name, "text3")


def _indicator(widget: QWidget, edge: int) -> QRectF:
    area = QRect(0, (widget.height() - edge) // 2, edge, edge)
    return QRectF(QStyle.visualRect(widget.layoutDirection(), widget.rect(), area))


def _choice_size(widget: QCheckBox | QRadioButton, edge: int) -> QSize:
    metrics = QFontMetrics(widget.font())
    label = metrics.horizontalAdvance(widget.text()) + _SPACING if widget.text() else 0
    return QSize(edge + label, max(edge, metrics.height()) + 2)


def _choice_colors(widget: QCheckBox | QRadioButton) -> tuple[str, str]:
    """Return the colour roles of the fill and the line."""
    if not widget.isEnabled():
        return ("text3" if widget.isChecked() else "sunken"), "line"
    if widget.isChecked():
        return "accent", ("text" if shows_focus(widget) else "accent")
    return "surface", ("accent" if shows_focus(widget) else "text3")


def _ring_width(widget: QWidget) -> float:
    return 2.0 if shows_focus(widget) else 1.0


def _label(widget: QCheckBox | QRadioButton, painter: QPainter, edge: int) -> None:
    area = QRect(edge + _SPACING, 0, widget.width() - edge - _SPACING, widget.height())
    place = QStyle.visualRect(widget.layoutDirection(), widget.rect(), area)
    painter.setPen(theme.current().color("text" if widget.isEnabled() else "text3"))
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading | Qt.TextFlag.TextHideMnemonic
    painter.drawText(place, int(flags), widget.text())
