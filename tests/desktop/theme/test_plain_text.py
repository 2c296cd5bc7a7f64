"""Texts of other people are shown as they are: nothing takes them for markup and reads files they name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_STORY = """
import sys
from PySide6.QtCore import QMimeData, QPoint, QTimer, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import *

from app.desktop import carried
from app.desktop.theme import theme
from app.desktop.widgets import ElidedLabel, IconButton, IconLabel, Label
from tests.hostile.hovering import hover

TEXT = f'<img src="file://{sys.argv[1]}">' + " and more" * 20
app = QApplication([])
theme.apply(app, "light")
window = QWidget()
column = QVBoxLayout(window)


def item_view(kind):
    view, model = kind(), QStandardItemModel()
    item = QStandardItem("x")
    item.setData(TEXT, Qt.ItemDataRole.ToolTipRole)
    model.appendRow(item)
    model.setHorizontalHeaderLabels([TEXT])
    model.setHeaderData(0, Qt.Orientation.Horizontal, TEXT, Qt.ItemDataRole.ToolTipRole)
    view.setModel(model)
    model.setParent(view)
    return view


def tipped(widget):
    widget.setToolTip(TEXT)
    return widget


def tabbed():
    tabs = QTabBar()
    tabs.addTab("x")
    tabs.setTabToolTip(0, TEXT)
    return tabs


def box():
    made = QMessageBox(window)
    made.setText(TEXT)
    made.setInformativeText(TEXT)
    made.show()
    return made


def dropped(page):
    data = QMimeData()
    data.setHtml(page)
    assert carried.read(data).text
    return QLabel(TEXT)


CASES = {
    "label": lambda: Label(TEXT, wrap=True),
    "qt label": lambda: QLabel(TEXT),
    "elided": lambda: ElidedLabel(TEXT),
    "icon": lambda: IconLabel("x", name=TEXT),
    "icon button": lambda: IconButton("x", TEXT),
    "button": lambda: tipped(QPushButton(TEXT)),
    "check box": lambda: tipped(QCheckBox(TEXT)),
    "group": lambda: tipped(QGroupBox(TEXT)),
    "line": lambda: tipped(QLineEdit(TEXT)),
    "list": lambda: item_view(QListView),
    "table": lambda: item_view(QTableView),
    "tree": lambda: item_view(QTreeView),
    "tabs": tabbed,
    "message box": box,
    "dropped page": lambda: dropped(TEXT),
    "dropped page with a style sheet": lambda: dropped(
        f'<head><link rel="stylesheet" type="text/css" href="{sys.argv[1]}"></head><body>{TEXT}</body>'
    ),
    "dropped page that imports styles": lambda: dropped(f'<style>@import "{sys.argv[1]}";</style>' + TEXT),
}
widget = CASES[sys.argv[2]]()
column.addWidget(widget)
window.resize(200, 200)
window.show()


def rest():
    places = [widget, *widget.findChildren(QWidget)]
    tips = [tip for place in places if place.isVisible() and (tip := hover(place, QPoint(8, 8)))]
    for tip in tips:
        tip.grab()
    window.grab()
    print("\\n".join(tip.text() for tip in tips) or widget.text())
    app.quit()


QTimer.singleShot(50, rest)
app.exec()
"""
_SHOW_A_TOOLTIP = (
    "elided", "icon", "icon button", "button", "check box", "group", "line", "list", "table", "tree", "tabs",
)  # fmt: skip
_SHOW_IT_ITSELF = (
    "label", "qt label", "message box", "dropped page", "dropped page with a style sheet",
    "dropped page that imports styles",
)  # fmt: skip


@pytest.mark.parametrize("case", [*_SHOW_A_TOOLTIP, *_SHOW_IT_ITSELF])
def test_a_file_that_a_text_names_is_not_opened(tmp_path: Path, case: str) -> None:
    """A pipe that nobody writes to: opening it blocks forever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    shown = subprocess.run(
        [sys.executable, "-c", _STORY, str(pipe), case],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout

    assert f'<img src="file://{pipe}">' in shown
