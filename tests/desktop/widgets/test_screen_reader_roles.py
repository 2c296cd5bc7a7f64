"""Our own widgets have roles for screen readers."""

import gc
from collections.abc import Iterator
from datetime import date

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.widgets import ComboBox, Field, MonthCalendar, Panel, Segmented, SidePanel
from app.desktop.widgets.screen_reader import TabInterface, spoken_by
from app.desktop.words import day_and_year

NAME = QAccessible.Text.Name


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def spoken(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


@spoken_by(TabInterface)
class Tab(QAbstractButton):
    """A tab that paints nothing."""

    def paintEvent(self, event: object) -> None:
        """Paint nothing."""


def test_panels_and_groups_of_choices_have_a_role(qtbot: QtBot) -> None:
    role = QAccessible.Role
    widgets = {
        Panel(): role.Grouping,
        Segmented([("a", "A")], "Letters"): role.Grouping,
        SidePanel("Changes"): role.ComplementaryContent,
    }
    for widget, wanted in widgets.items():
        qtbot.addWidget(widget)
        assert spoken(widget).role() is wanted


def test_a_tab_is_one_of_several_and_can_be_pressed(qtbot: QtBot) -> None:
    tab = Tab()
    qtbot.addWidget(tab)
    tab.setCheckable(True)
    interface = spoken(tab)
    assert interface.role() is QAccessible.Role.PageTab
    assert interface.state().selectable
    assert not interface.state().selected
    actions = interface.actionInterface()
    assert "Press" in actions.actionNames()
    actions.doAction("Press")
    assert tab.isChecked()
    assert interface.state().selected


def test_interfaces_end_with_their_widgets(qapp: QApplication) -> None:
    for _ in range(50):
        panel = Panel()
        panel.setAccessibleName("Rows")
        assert spoken(panel).text(NAME) == "Rows"
        panel.deleteLater()
        del panel
        qapp.sendPostedEvents(None, 52)  # deferred deletion
        gc.collect()


def labels(box: ComboBox) -> list[str]:
    found = spoken(box).relations(QAccessible.RelationFlag.Label)
    return [label.text(NAME) for label, _ in found]


def test_a_list_of_choices_has_its_name_once_wherever_it_is(qtbot: QtBot) -> None:
    box = ComboBox()
    box.setAccessibleName("Sort files")
    holder = QWidget()
    qtbot.addWidget(holder)
    box.setParent(holder)
    assert labels(box) == ["Sort files"]
    in_field = ComboBox()
    field = Field("Type", in_field)
    qtbot.addWidget(field)
    assert labels(in_field) == ["Type"]


def test_a_month_says_its_chosen_day(qtbot: QtBot) -> None:
    def describe(day: date) -> str:
        return f"{day_and_year(day)}, 2 posts"

    month = MonthCalendar(describe=describe)
    qtbot.addWidget(month)
    month.setSelectedDate(QDate(2026, 12, 4))
    month.show()
    days = month.findChild(QTableView)
    assert isinstance(days, QTableView)
    interface = spoken(days)
    assert interface.text(NAME) == "Friday 4 December 2026, 2 posts"
    assert interface.childCount() == 0
    QTest.keyClick(days, Qt.Key.Key_Right)
    assert interface.text(NAME) == "Saturday 5 December 2026, 2 posts"
