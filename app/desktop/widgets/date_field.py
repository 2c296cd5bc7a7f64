"""The date field: a month to choose from, steps, and typed dates."""

from collections.abc import Callable
from datetime import date
from functools import lru_cache

from PySide6.QtCore import QCoreApplication, QDate, QEvent, QLocale, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
)
from PySide6.QtWidgets import QAccessibleWidget, QCalendarWidget, QDateEdit, QToolButton, QWidget

from app import language
from app.desktop import week
from app.desktop.dates import read_in_field
from app.desktop.local_time import today
from app.desktop.theme import icons, theme
from app.desktop.widgets.inputs import GLYPH, LEADING, LineEdit, glyph, lead
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import announce, speak_for
from app.desktop.widgets.wheel import scroll_past
from app.desktop.words import date_with_year, day_and_year
from app.language import tr, trc

_ARROWS = {"qt_calendar_prevmonth": "chevron-left", "qt_calendar_nextmonth": "chevron-right"}
_LONGEST = 60
_HELD = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


class MonthCalendar(QCalendarWidget):
    """A month to choose a day from; today is red, the selected day blue.

    For screen readers it's one control whose value is the selected day. ``describe`` adds to a day's
    description.
    """

    def __init__(self, parent: QWidget | None = None, describe: Callable[[date], str] = day_and_year) -> None:
        super().__init__(parent)
        self._describe = describe
        self.today: Callable[[], date] = today
        self.selectionChanged.connect(lambda: announce(self, self.spoken()))
        self.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        self.setFirstDayOfWeek(Qt.DayOfWeek(week.first_weekday() + 1))
        theme.follow(self._restyle)

    def spoken(self) -> str:
        """Return the selected day for screen readers."""
        return self._describe(_date_of(self.selectedDate()))

    def paintCell(self, painter: QPainter, rect: QRect, date: QDate) -> None:  # noqa: N802  Qt's
        """Paint a day like Qt does, with a pill for today, and a faint one for days of other months."""
        look = theme.current()
        is_chosen, is_today = date == self.selectedDate(), _date_of(date) == self.today()
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
        """Return a size with days large enough to click."""
        chip = theme.current().metrics.chip
        return super().sizeHint().expandedTo(QSize(round(10.5 * chip), 9 * chip))

    def _restyle(self) -> None:
        """Replace Qt's red for weekends, which means today here, and colour the arrows."""
        head = QTextCharFormat()
        head.setForeground(theme.current().color("text3"))
        self.setHeaderTextFormat(head)
        for weekday in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.setWeekdayTextFormat(weekday, head)
        for name, icon in _ARROWS.items():
            arrow = self.findChild(QToolButton, name)
            if isinstance(arrow, QToolButton):
                arrow.setIcon(icons.icon(icon, "text2"))


class _DaysInterface(QAccessibleWidget):
    """The days of a month. Screen readers would read Qt's own cells only as the day's number."""

    def __init__(self, days: QWidget) -> None:
        super().__init__(days, QAccessible.Role.Grouping)

    def childCount(self) -> int:  # noqa: N802  Qt's
        return 0

    def child(self, index: int) -> QAccessibleInterface:
        """Return itself: Qt's events of cells become events of the whole."""
        del index
        return QAccessible.queryAccessibleInterface(self.widget())

    def text(self, kind: QAccessible.Text) -> str:
        month = self.widget().parent()
        if kind is QAccessible.Text.Name and isinstance(month, MonthCalendar):
            return month.spoken()
        return super().text(kind)


speak_for("qt_calendar_calendarview", _DaysInterface)


class _TypedDay(LineEdit):
    """Covers the field while a day is typed. Tab and arrow keys go to the field."""

    left = Signal(QKeyEvent)
    """A key that ends typing, or goes on to another control."""
    finished = Signal()

    def __init__(self, field: QWidget) -> None:
        super().__init__("", "calendar-days", field)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.hide()

    def event(self, event: QEvent) -> bool:
        leaving = Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Escape
        if isinstance(event, QKeyEvent) and event.key() in leaving:
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit(event)
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finished.emit()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.finished.emit()


class DateField(QDateEdit):
    """A day with its weekday; the icon opens a month, and a day can be typed in any usual form.

    ``today`` is the reference for "tomorrow".
    """

    misread = Signal()
    """What is typed stopped or started being a day; `problem` says which."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale(language.current()))  # Qt's own names of days and months are the system's
        self.setDisplayFormat(trc("Qt's format of dates", "ddd d MMM yyyy"))
        self.setCalendarPopup(True)
        month = MonthCalendar()
        month.today = lambda: self.today()  # noqa: PLW0108  which is set later
        self.setCalendarWidget(month)
        lead(self)
        scroll_past(self)
        theme.follow(self._fit)
        self.today: Callable[[], date] = today
        self._is_reading = False
        self._is_passing = False
        self._problem = ""
        self._typed = _TypedDay(self)
        self._typed.textEdited.connect(self._read)
        self._typed.finished.connect(self._finish)
        self._typed.left.connect(self._leave)
        self.dateChanged.connect(self._changed)

    def problem(self) -> str:
        """Return why this field doesn't accept the typed text, or ""."""
        return self._problem

    def setDate(self, day: QDate) -> None:  # noqa: N802  Qt's
        """Set the day, replacing typed text."""
        if not self._is_reading:
            self._end()
        super().setDate(day)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's
        super().setAccessibleName(name)
        self._typed.setAccessibleName(name)

    def event(self, event: QEvent) -> bool:
        """Claim keys while a day is typed that would otherwise be shortcuts, such as Esc."""
        if event.type() == QEvent.Type.ShortcutOverride and self._typed.isVisible() and not self._is_passing:
            return self._pass_on(event)
        return super().event(event)

    def _pass_on(self, event: QEvent) -> bool:
        """Send a key to the typed text; ignored keys come back, since Qt tries the parent next."""
        self._is_passing = True
        try:
            return QCoreApplication.sendEvent(self._typed, event)
        finally:
            self._is_passing = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Continue typing if a day is being typed."""
        super().focusInEvent(event)
        if self._typed.isVisible():
            self._typed.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Start typing a day on letters, digits and paste; Qt handles other keys."""
        if self._is_passing:
            event.ignore()
        elif self._typed.isVisible():
            self._pass_on(event)
        elif event.matches(QKeySequence.StandardKey.Paste):
            self._begin(QGuiApplication.clipboard().text())
        elif event.text().strip() and event.text().isprintable() and not event.modifiers() & _HELD:
            self._begin(event.text())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._typed.setGeometry(self.rect())

    def _begin(self, text: str) -> None:
        self._typed.setText(text.strip()[:_LONGEST])
        self._typed.setGeometry(self.rect())
        self._typed.show()
        self._typed.raise_()
        self._typed.setFocus()
        self._read()

    def _read(self) -> None:
        """Accept the typed text once it's a day; report nothing while it may still become one."""
        first, last, shown = map(_date_of, (self.minimumDate(), self.maximumDate(), self.date()))
        typed = self._typed.text()
        found = read_in_field(typed, self.today(), shown)
        self._mark(invalid=False)
        if found is None:
            self._problem = tr("“{text}” isn't a day. Try 24.11.2026, 24 Nov or tomorrow.", text=typed)
        elif not first <= found <= last:
            days = {"first": date_with_year(first), "last": date_with_year(last)}
            self._problem = tr("Choose a day from {first} to {last}.", **days)
        else:
            self._problem = ""
            self._is_reading = True
            super().setDate(QDate(found.year, found.month, found.day))
            self._is_reading = False

    def _finish(self) -> None:
        """Show the typed day, or the error."""
        if not self._typed.isVisible():
            return
        if self._problem and self._typed.text().strip():
            self._mark(invalid=True)
            announce(self, self._problem)
        else:
            self._end()
        self.misread.emit()

    def _end(self) -> None:
        """Return to the shown day."""
        self._problem = ""
        had_focus = self._typed.hasFocus()
        self._typed.hide()
        if had_focus:
            self.setFocus()

    def _leave(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._end()
            self.misread.emit()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._finish()
            if not self._typed.isVisible():
                super().keyPressEvent(event)
            return
        self._finish()
        if (around := self.parentWidget()) is not None:  # Qt's own would go on to the next part of the day
            around.focusNextPrevChild(event.key() == Qt.Key.Key_Tab)

    def _changed(self) -> None:
        if not self._is_reading:
            self._end()

    def _mark(self, *, invalid: bool) -> None:
        self._typed.setProperty("invalid", invalid)
        self._typed.setToolTip(self._problem if invalid else "")
        self._typed.setAccessibleDescription(self._typed.toolTip())
        self._typed.style().unpolish(self._typed)
        self._typed.style().polish(self._typed)

    def stepBy(self, steps: int) -> None:  # noqa: N802  Qt's
        """Continue into the next week or month, where Qt would stop."""
        if self.currentSection() is QDateEdit.Section.DaySection:  # also that of the weekday
            self.setDate(self.date().addDays(steps))
        else:
            super().stepBy(steps)

    def stepEnabled(self) -> QDateEdit.StepEnabledFlag:  # noqa: N802  Qt's
        return QDateEdit.StepEnabledFlag.StepUpEnabled | QDateEdit.StepEnabledFlag.StepDownEnabled

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        glyph(self, QRect(LEADING, 0, theme.current().grown(GLYPH), self.height()), "calendar-days")

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(self._beyond_qt(), 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + QSize(self._beyond_qt(), 0)

    def _beyond_qt(self) -> int:
        """Return how much wider the longest date is than the first and last one, which Qt measures."""
        ends = (self.textFromDateTime(end) for end in (self.minimumDateTime(), self.maximumDateTime()))
        measured = max(map(self.fontMetrics().horizontalAdvance, ends))
        longest = _longest(self.locale().name(), self.displayFormat(), self.font().toString())
        return _beyond_usual() + max(0, longest - measured)

    def _fit(self) -> None:
        self.setFixedHeight(theme.current().metrics.control)
        self.lineEdit().setTextMargins(_beyond_usual(), 0, 0, 0)
        self.updateGeometry()


@lru_cache(maxsize=32)
def _longest(locale: str, form: str, font: str) -> int:
    """Return the width of the longest date in a format, in pixels. ``font``: a QFont as text."""
    spoken, shown = QLocale(locale), QFont()
    shown.fromString(font)
    metrics = QFontMetrics(shown)
    days = (QDate(2026, month, day) for month in range(1, 13) for day in range(22, 29))
    return max(metrics.horizontalAdvance(spoken.toString(day, form)) for day in days)


def _beyond_usual() -> int:
    """Return how much wider the icon is than at 100 %, for which the style sheet leaves room."""
    return theme.current().grown(GLYPH) - GLYPH


def _date_of(day: QDate) -> date:
    return date(day.year(), day.month(), day.day())
