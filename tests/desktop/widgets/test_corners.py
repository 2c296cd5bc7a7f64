"""Menus and popovers have round corners without a compositor, too: on a real X server, which has none."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from app.children import SOURCE

WINDOW = """
import json
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget
from app.desktop.widgets import Menu
from app.desktop.widgets.label import Label
from app.desktop.widgets.panel import Popover

app = QApplication([])
owner = QWidget()
owner.show()
if {menu}:
    popup = Menu(owner)
    for word in ("Open", "Duplicate"):
        popup.add(word, lambda: None)
    popup.popup(QPoint(40, 40))
else:
    popup = Popover(owner)
    popup.body.addWidget(Label("A few words"))
    popup.open_below(owner)
right, foot = popup.width() - 1, popup.height() - 1
corners = (QPoint(0, 0), QPoint(right, 0), QPoint(0, foot), QPoint(right, foot))
inner = (QPoint(right // 2, 0), QPoint(0, foot // 2), QPoint(right, foot // 2), QPoint(3, 3))
shape = popup.mask()
print(json.dumps([[shape.contains(point) for point in points] for points in (corners, inner)]))
popup.close()
"""


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs Xvfb")
@pytest.mark.parametrize("menu", [True, False], ids=["menu", "popover"])
def test_corners_are_no_part_of_the_window(menu: bool) -> None:
    environ = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    command = ["xvfb-run", "-a", sys.executable, "-c", WINDOW.format(menu=menu)]
    done = subprocess.run(command, cwd=SOURCE, env=environ, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[False] * 4, [True] * 4]
