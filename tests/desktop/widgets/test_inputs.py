from collections.abc import Iterator
from datetime import date

import pytest
from PySide6.QtCore import QDate, QLocale, QPoint, Qt, QTime
from PySide6.QtGui import QAccessible, QGuiApplication, QImage, QKeySequence, QPainter, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app import language
from app.desktop.composer.text_box import PostEditor
from app.desktop.media.alt_text import _Editor
from app.desktop.theme import theme
from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets import (
    CheckBox,
    ComboBox,
    DateField,
    Field,
    FlowLayout,
    LineEdit,
    LinkButton,
    MonthCalendar,
    RadioButton,
    Switch,
    TimeField,
)
from app.desktop.widgets.zone_picker import _Line
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of


@pytest.mark.parametrize("make", [ComboBox, LineEdit, DateField, TimeField])
def test_inputs_are_as_high_as_buttons(qtbot: QtBot, make: type[QWidget]) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    field = make()
    column.addWidget(field)
    holder.show()
    assert field.height() == 32


def test_what_stands_in_an_empty_line_has_room_in_it(qtbot: QtBot) -> None:
    line = LineEdit(icon="search")
    qtbot.addWidget(line)
    line.setPlaceholderText("Everything that a person may look for")
    line.resize(line.minimumSizeHint())
    words = line.fontMetrics().horizontalAdvance(line.placeholderText())
    assert line.width() - line.textMargins().left() > words


def test_a_button_that_clears_comes_with_the_first_text(qtbot: QtBot) -> None:
    line = LineEdit(icon="search")
    line.offer_to_clear()
    qtbot.addWidget(line)
    line.show()
    assert line.findChildren(QToolButton) == []
    QTest.keyClicks(line, "hello")
    (button,) = line.findChildren(QToolButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert line.text() == ""
    QTest.keyClicks(line, "again")
    assert line.findChildren(QToolButton) == [button]


def test_a_day_is_named_in_the_language_of_the_app(qtbot: QtBot) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale("de"))
    try:
        field = DateField()
        qtbot.addWidget(field)
        field.setDate(QDate(2026, 12, 6))
        assert field.text() == "Sun 6 Dec 2026"
    finally:
        QLocale.setDefault(before)


def test_a_time_is_typed_by_sections_and_shows(qtbot: QtBot) -> None:
    field = TimeField()
    qtbot.addWidget(field)
    field.setTime(QTime(9, 30))
    field.resize(90, 32)
    field.show()
    assert field.lineEdit().width() > 80
    field.setFocus()
    field.setSelectedSection(TimeField.Section.HourSection)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.time() == QTime(10, 30)


def test_a_day_is_shown_with_its_weekday_and_opens_a_calendar(qtbot: QtBot) -> None:
    field = DateField()
    qtbot.addWidget(field)
    field.setDate(QDate(2026, 11, 25))
    assert "25" in field.text()
    assert field.text().endswith("2026")
    assert field.calendarPopup()
    weekend = field.calendarWidget().weekdayTextFormat(Qt.DayOfWeek.Sunday).foreground().color()
    assert weekend == theme.current().color("text3")  # red means today, here as everywhere


def test_in_the_month_to_choose_from_only_today_is_red_and_the_chosen_day_blue(qtbot: QtBot) -> None:
    month = MonthCalendar()
    qtbot.addWidget(month)
    today = QDate.currentDate()
    chosen = QDate(today.year(), today.month(), 10 if today.day() != 10 else 17)
    month.setSelectedDate(chosen)
    month.show()

    def ground(day: QDate) -> str:
        """The colour beside the number, in the pill."""
        picture = QImage(40, 30, QImage.Format.Format_RGB32)
        painter = QPainter(picture)
        month.paintCell(painter, picture.rect(), day)
        painter.end()
        return picture.pixelColor(8, 15).name().upper()

    assert ground(today) == LIGHT.rubric
    assert ground(chosen) == LIGHT.accent
    assert ground(chosen.addDays(1) if chosen.addDays(1) != today else chosen.addDays(2)) == LIGHT.raised


@pytest.mark.parametrize("make", [CheckBox, RadioButton])
def test_a_choice_takes_clicks_on_its_words_and_the_space_bar(
    qtbot: QtBot, make: type[CheckBox] | type[RadioButton]
) -> None:
    choice = make("Keep the times")
    qtbot.addWidget(choice)
    choice.resize(choice.sizeHint())
    choice.show()
    QTest.mouseClick(choice, Qt.MouseButton.LeftButton, pos=QPoint(choice.width() - 4, 6))
    assert choice.isChecked()
    off = make("Off")
    qtbot.addWidget(off)
    before = off.grab().toImage()
    off.show()
    off.setFocus()
    QTest.keyClick(off, Qt.Key.Key_Space)
    assert off.isChecked()
    assert off.grab().toImage() != before


def test_a_field_says_what_is_wrong_in_place_of_the_help(qtbot: QtBot) -> None:
    editor = QLineEdit()
    field = Field("Address", editor, "Tested before it is kept.")
    qtbot.addWidget(field)
    assert field.error() == ""
    assert editor.accessibleName() == "Address"
    assert editor.accessibleDescription() == "Tested before it is kept."
    field.set_error("This address needs https.")
    assert field.error() == editor.accessibleDescription() == "This address needs https."
    assert editor.property("invalid") is True
    field.set_help("Other help.")
    assert field.error() == "This address needs https."
    field.set_error("")
    assert editor.property("invalid") is False
    assert editor.accessibleDescription() == "Other help."


def test_a_flow_breaks_into_lines_and_keeps_every_widget_inside(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, 8)
    for _ in range(9):
        box = QWidget()
        box.setFixedSize(50, 20)
        flow.addWidget(box)
    holder.resize(200, flow.heightForWidth(200))
    holder.show()
    assert flow.heightForWidth(200) == 3 * 20 + 2 * 8
    assert flow.heightForWidth(1000) == 20
    places = [flow.itemAt(index).geometry() for index in range(flow.count())]  # type: ignore[union-attr]
    assert all(holder.rect().contains(place) for place in places)
    assert not any(a.intersects(b) for a in places for b in places if a is not b)
    assert flow.itemAt(99) is None
    assert flow.takeAt(0) is not None
    assert flow.count() == 8


def test_days_go_on_past_the_end_of_a_week_and_of_a_month(qtbot: QtBot) -> None:
    field = DateField()
    qtbot.addWidget(field)
    field.setDate(QDate(2026, 11, 29))
    for _ in range(3):
        field.stepBy(1)
    assert field.date() == QDate(2026, 12, 2)
    field.setSelectedSection(DateField.Section.YearSection)
    field.stepBy(1)
    assert field.date() == QDate(2027, 12, 2)


@pytest.mark.parametrize("make", [LineEdit, PostEditor, _Editor, _Line])
def test_ctrl_y_does_again_in_texts_before_anything_else(
    qtbot: QtBot, make: type[LineEdit] | type[PostEditor] | type[_Editor] | type[_Line]
) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    editor = make()
    QVBoxLayout(holder).addWidget(editor)
    others: list[bool] = []
    QShortcut(QKeySequence("Ctrl+Y"), holder).activated.connect(lambda: others.append(True))
    with qtbot.waitActive(holder):
        holder.show()
    editor.setFocus()
    QTest.keyClicks(editor, "ab")
    QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)

    def written() -> str:
        return editor.text() if isinstance(editor, QLineEdit) else editor.toPlainText()

    assert written() == ""
    QTest.keyClick(editor, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert (written(), others) == ("ab", [])


@pytest.fixture
def day(qtbot: QtBot) -> Iterator[DateField]:
    field = DateField()
    field.today = lambda: date(2026, 11, 21)
    field.setDate(QDate(2026, 11, 25))
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    column.addWidget(field)
    column.addWidget(LineEdit())
    with qtbot.waitActive(holder):
        holder.show()
    field.setFocus()
    yield field
    holder.close()


def is_typing(day: DateField) -> bool:
    return any(one.isVisible() for one in day.findChildren(LineEdit))


@pytest.mark.parametrize(
    ("typed", "iso"),
    [
        ("24.11.2026", "2026-11-24"),
        ("24.11.", "2026-11-24"),
        ("24.12", "2026-12-24"),
        ("3.2.27", "2027-02-03"),
        ("24/11/2026", "2026-11-24"),
        ("2026-12-01", "2026-12-01"),
        ("24 Nov", "2026-11-24"),
        ("3 march 2027", "2027-03-03"),
        ("tomorrow", "2026-11-22"),
        ("friday", "2026-11-27"),
        ("7", "2026-11-07"),
        ("30.", "2026-11-30"),
    ],
)
@pytest.mark.parametrize("end", [Qt.Key.Key_Return, Qt.Key.Key_Tab, None])
def test_a_day_is_typed_as_people_write_it(day: DateField, typed: str, iso: str, end: Qt.Key | None) -> None:
    QTest.keyClicks(day, typed)
    if end is not None:
        QTest.keyClick(day, end)
        assert not is_typing(day)
        assert day.hasFocus() is (end is Qt.Key.Key_Return)
    assert day.date().toString(Qt.DateFormat.ISODate) == iso
    assert day.problem() == ""


def test_what_is_no_day_says_so_and_esc_takes_it_back(day: DateField) -> None:
    told: list[str] = []
    day.misread.connect(lambda: told.append(day.problem()))
    QTest.keyClicks(day, "wool")
    assert told == []
    QTest.keyClick(day, Qt.Key.Key_Return)
    assert told == ["\u201cwool\u201d isn't a day. Try 24.11.2026, 24 Nov or tomorrow."]
    assert is_typing(day)
    assert day.date() == QDate(2026, 11, 25)
    QTest.keyClick(day, Qt.Key.Key_Escape)
    assert (is_typing(day), day.problem(), day.hasFocus()) == (False, "", True)


def test_a_day_beyond_the_range_says_so(day: DateField) -> None:
    day.setDateRange(QDate(2026, 11, 1), QDate(2026, 11, 30))
    QTest.keyClicks(day, "24.12.2026\r")
    assert day.problem() == "Choose a day from 1 Nov 2026 to 30 Nov 2026."
    day.setDate(QDate(2026, 11, 26))
    assert day.problem() == ""


def test_a_pasted_day_is_read(day: DateField) -> None:
    QGuiApplication.clipboard().setText(" 24 Nov 2026\n")
    QTest.keyClick(day, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert day.date() == QDate(2026, 11, 24)


def test_arrows_go_on_from_what_was_typed(day: DateField) -> None:
    QTest.keyClicks(day, "24.11.2026")
    QTest.keyClick(day, Qt.Key.Key_Up)
    assert day.date() == QDate(2026, 11, 25)


def states_of_choices(box: ComboBox) -> list[tuple[bool, bool]]:
    """Whether each choice says that it shows, and that it has the focus."""
    choices = QAccessible.queryAccessibleInterface(box).child(0)
    states = [choices.child(row).state() for row in range(choices.childCount())]
    return [(not state.invisible, bool(state.focused)) for state in states]


def test_only_an_open_list_says_that_its_choices_show_and_have_the_focus(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["Monday", "Tuesday", "Sunday"])
    box.setCurrentIndex(1)
    box.show()

    def is_silent() -> bool:
        return states_of_choices(box) == [(False, False)] * 3

    qtbot.waitUntil(is_silent)
    box.showPopup()
    qtbot.waitUntil(lambda: states_of_choices(box) == [(True, False), (True, True), (True, False)])
    box.hidePopup()
    qtbot.waitUntil(is_silent)
    box.setCurrentIndex(2)
    qtbot.waitUntil(is_silent)


@pytest.mark.parametrize("way", ["mouse", "Return", "typing"])
def test_a_choice_is_taken_from_the_open_list(qtbot: QtBot, qapp: QApplication, way: str) -> None:
    box, taken = ComboBox(), list[int]()
    qtbot.addWidget(box)
    box.addItems(["Monday", "Tuesday", "Sunday"])
    box.activated.connect(taken.append)
    box.show()
    before = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(1)  # for so long, Qt takes a click for the one that opened the list
    box.showPopup()
    choices = box.view()
    qtbot.waitUntil(choices.isVisible)
    qtbot.wait(20)
    qapp.setDoubleClickInterval(before)
    if way == "mouse":
        place = choices.visualRect(choices.model().index(2, 0)).center()
        QTest.mouseMove(choices.viewport(), place)
        QTest.mouseClick(choices.viewport(), Qt.MouseButton.LeftButton, pos=place)
    else:
        for key in {"Return": ["Down", "Down"], "typing": ["S", "U"]}[way]:
            QTest.keyClick(choices, getattr(Qt.Key, f"Key_{key}"))
        QTest.keyClick(choices, Qt.Key.Key_Return)
    assert (taken, box.currentText()) == ([2], "Sunday")
    assert not choices.isVisible()


def test_typing_into_a_closed_list_finds_a_choice(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["Monday", "Tuesday", "Sunday"])
    box.show()
    QTest.keyClicks(box, "su")
    assert box.currentText() == "Sunday"
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert box.currentText() == "Tuesday"


def test_a_switch_is_a_check_box_for_screen_readers_and_large_enough(qtbot: QtBot) -> None:
    switch = Switch()
    switch.setAccessibleName("Failed posts")
    qtbot.addWidget(switch)
    switch.show()
    seen = QAccessible.queryAccessibleInterface(switch)
    assert seen.role() is QAccessible.Role.CheckBox
    assert not seen.state().checked
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert seen.state().checked
    assert min(switch.width(), switch.height()) >= 24
    off, on = (
        QImage(switch.size(), QImage.Format.Format_RGB32),
        QImage(switch.size(), QImage.Format.Format_RGB32),
    )
    switch.render(on)
    switch.setChecked(False)
    switch.render(off)
    assert off != on


def test_links_and_choices_are_large_enough_to_hit(qtbot: QtBot) -> None:
    for widget in (CheckBox("Label"), RadioButton("Now"), LinkButton("Reconnect")):
        qtbot.addWidget(widget)
        assert widget.sizeHint().height() >= 24


@pytest.mark.parametrize("spoken", ["en", "de"])
@pytest.mark.parametrize("first", ["", "2026-05-04"])
def test_the_date_field_has_room_for_every_date(qtbot: QtBot, spoken: str, first: str) -> None:
    language.use(spoken)
    try:
        field = DateField()
    finally:
        language.use("en")
    qtbot.addWidget(field)
    if first:
        field.setMinimumDate(QDate.fromString(first, Qt.DateFormat.ISODate))
        field.setMaximumDate(field.minimumDate().addDays(730))
    field.resize(field.minimumSizeHint())
    field.show()
    editor = field.lineEdit()
    margins = editor.textMargins()
    room = editor.width() - margins.left() - margins.right()
    for day in (QDate(2026, 5, 5).addDays(count) for count in range(365)):
        field.setDate(day)
        assert editor.fontMetrics().horizontalAdvance(editor.text()) + 4 <= room, editor.text()


@pytest.mark.parametrize(("width", "lines"), [(500, 1), (200, 2)])
def test_a_long_text_of_a_check_box_may_wrap(qtbot: QtBot, width: int, lines: int) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    box = CheckBox("I compared the fingerprints, and they match", wrap=True)
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(box)
    column.addStretch(1)
    holder.resize(width, 200)
    holder.show()
    assert holder.minimumSizeHint().width() <= 200
    texts = [text for text in texts_of(holder) if text.widget is box]
    assert len(texts) == lines
    assert not list(cut_texts(texts))
    assert box.height() >= lines * box.fontMetrics().height()


def test_a_choice_needs_the_room_of_the_current_text_size(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    combo = ComboBox()
    qtbot.addWidget(combo)
    combo.addItem("The account's default")
    combo.show()
    usual = combo.minimumSizeHint().width()
    theme.apply(qapp, "light", 2.0)
    assert combo.minimumSizeHint().width() > 1.5 * usual
    theme.apply(qapp, "light")
