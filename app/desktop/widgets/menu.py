"""Context menus."""

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from app.desktop.commands import Command, key_caps
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import cut_corners
from app.desktop.widgets.screen_reader import announce


class Menu(QMenu):
    """A menu with rounded corners: build it when needed and show it with `popup`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        if parent is not None:
            self.setAccessibleName(parent.accessibleName())
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # nothing behind the corners
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cut_corners(self, theme.current().metrics.radius)

    def showEvent(self, event: QShowEvent) -> None:
        """Select the first entry if a key opened the menu; announce an empty menu."""
        super().showEvent(event)
        usable = [action for action in self.actions() if action.isEnabled() and not action.isSeparator()]
        parent = self.parentWidget()
        if not usable:
            announce(self, ", ".join(action.text() for action in self.actions()))
        elif isinstance(parent, QAbstractButton) and parent.hasFocus():
            self.setActiveAction(usable[0])

    def open_below(self, button: QWidget) -> None:
        """Show the menu below a button, or above it or at its other edge if it would leave the window."""
        gap, width, window = 4, self.sizeHint().width(), button.window()
        corner, height = button.mapTo(window, QPoint()), self.sizeHint().height()
        left, below = corner.x(), button.height() + gap
        is_above = corner.y() + below + height > window.height() and corner.y() >= height + gap
        fits_start, fits_end = left + width <= window.width(), left + button.width() >= width
        at_end = button.isRightToLeft()
        if not (fits_end if at_end else fits_start):
            at_end = fits_end
        x = button.width() - width if at_end else 0
        self.popup(button.mapToGlobal(QPoint(x, -gap - height if is_above else below)))

    def add_commands(self, commands: Iterable[Command]) -> None:
        """Append commands with their keys."""
        for command in commands:
            keys = "+".join(key_caps(command.all_keys[0])) if command.all_keys else ""
            self.add(f"{command.name}\t{keys}", partial(_run, command), enabled=command.enabled())

    def add(
        self,
        text: str,
        chosen: Callable[[], object],
        *,
        icon: str = "",
        shortcut: str = "",
        enabled: bool = True,
    ) -> QAction:
        """Append an entry that calls `chosen`; `shortcut` is shown next to it, `text` as it is.

        Raises KeyError for an unknown icon.
        """
        action = self.addAction(text.replace("&", "&&"))  # alone it would mark a letter
        action.triggered.connect(lambda _checked=False: chosen())
        action.setEnabled(enabled)
        if icon:
            action.setIcon(icons.icon(icon, "text2"))
        if shortcut:
            action.setShortcut(shortcut)
        return action


def _run(command: Command) -> None:
    """Run a command, unless what it was for disappeared while the menu was open."""
    if command.enabled():
        command.run()
