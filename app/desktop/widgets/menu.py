"""Context menus."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.desktop.theme import icons


class Menu(QMenu):
    """A menu with rounded corners: build it when it is asked for and show it with `popup`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # nothing behind the corners
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)

    def add(
        self,
        text: str,
        chosen: Callable[[], object],
        *,
        icon: str = "",
        shortcut: str = "",
        enabled: bool = True,
    ) -> QAction:
        """Append an entry that calls `chosen`; `shortcut` is shown beside it.

        Raises KeyError when there is no such icon.
        """
        action = self.addAction(text)
        action.triggered.connect(lambda _checked=False: chosen())
        action.setEnabled(enabled)
        if icon:
            action.setIcon(icons.icon(icon, "text2"))
        if shortcut:
            action.setShortcut(shortcut)
        return action
