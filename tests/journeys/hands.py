"""Mouse and keyboard that count actions: each drop, click and typed line is one."""

from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from tests.desktop.dragged import dropping, entering, moving

_DRAG_STEPS = 6


@dataclass
class Hands:
    """Uses only visible widgets. ``done`` lists the actions in words."""

    window: QWidget
    done: list[str] = field(default_factory=list)

    def drop_file(self, path: Path, on: QWidget, point: QPoint, words: str) -> None:
        """Drag a file from the upper left to a point of a widget, and drop it."""
        self._act(f"drop {path.name} on {words}")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        _touchable(on, point)
        for step in range(_DRAG_STEPS):
            event = (moving if step else entering)(point * step / _DRAG_STEPS, data)
            QApplication.sendEvent(on, event)
            assert event.isAccepted() or step < _DRAG_STEPS - 1, "nothing may be dropped there"
        last = dropping(point, data)
        QApplication.sendEvent(on, last)
        assert last.isAccepted()

    def write(self, text: str) -> None:
        """Type into the focused widget."""
        self._act(f"write “{text}”")
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClicks(focused, text)

    def click(self, button: QAbstractButton) -> None:
        """Click the middle of a button."""
        self._act(f"click {button.accessibleName() or button.text()}")
        _touchable(button, button.rect().center())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def _act(self, words: str) -> None:
        self.done.append(words)


def _touchable(widget: QWidget, point: QPoint) -> None:
    """Fail if the widget is covered or cut off at the point, or disabled."""
    there = widget.mapTo(widget.window(), point)
    top = widget.window().childAt(there)
    assert widget.isEnabled()
    assert top is widget or (top is not None and widget.isAncestorOf(top)), f"{top} is in the way"
