"""The roles of our own widgets for screen readers: Qt calls each of them a filler."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QWidget

Widget = TypeVar("Widget", bound=QWidget)
Interface = Callable[[QWidget], QAccessibleInterface]

_INTERFACES: dict[type[QWidget], Interface] = {}
_PARTS: dict[str, Interface] = {}


def spoken_as(role: QAccessible.Role) -> Callable[[type[Widget]], type[Widget]]:
    """Return a decorator that gives a class of widgets, and those derived from it, a role."""
    return spoken_by(lambda widget: QAccessibleWidget(widget, role))


def spoken_by(interface: Interface) -> Callable[[type[Widget]], type[Widget]]:
    """Return a decorator that lets ``interface`` speak for a class of widgets and those derived from it."""

    def register(kind: type[Widget]) -> type[Widget]:
        _INTERFACES[kind] = interface
        return kind

    return register


class ButtonInterface(QAccessibleWidget):
    """A button with another role than Qt's; it can be pressed."""

    def actionNames(self) -> list[str]:  # noqa: N802  Qt's
        """Return the actions, to press first."""
        return [_PRESS, *super().actionNames()]

    def doAction(self, actionName: str) -> None:  # noqa: N802, N803  Qt's
        """Press the button, or do what any widget does."""
        button = self.widget()
        if actionName == _PRESS and isinstance(button, QAbstractButton):
            button.click()
        else:
            super().doAction(actionName)


class TabInterface(ButtonInterface):
    """One of several tabs."""

    def __init__(self, button: QWidget) -> None:
        super().__init__(button, QAccessible.Role.PageTab)

    def state(self) -> QAccessible.State:
        """Return Qt's state, and whether the tab is the chosen one."""
        state, button = super().state(), self.widget()
        state.selectable = True
        state.selected = isinstance(button, QAbstractButton) and button.isChecked()
        return state


class PopupInterface(ButtonInterface):
    """A button that opens a menu or a panel of choices."""

    def __init__(self, button: QWidget) -> None:
        super().__init__(button, QAccessible.Role.ButtonMenu)

    def state(self) -> QAccessible.State:
        """Return Qt's state, and that something opens."""
        state = super().state()
        state.hasPopup = True
        return state


class WindowInterface(QAccessibleWidget):
    """A window. While a widget with ``covers_window`` is open in it, such as a sheet, that's all there is."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, QAccessible.Role.Window)

    def childCount(self) -> int:  # noqa: N802  Qt's
        """Return the number of children to be read."""
        return super().childCount() if self._cover() is None else 1

    def child(self, index: int) -> QAccessibleInterface:
        """Return a child to be read."""
        cover = self._cover()
        return super().child(index) if cover is None else QAccessible.queryAccessibleInterface(cover)

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802  Qt's
        """Return the place of a child; -1 for one that isn't to be read."""
        cover = self._cover()
        if cover is None:
            return super().indexOfChild(child)
        return 0 if child.object() is cover else -1

    def _cover(self) -> QWidget | None:
        """Return the topmost open cover."""
        for child in reversed(self.widget().children()):
            if isinstance(child, QWidget) and getattr(child, "covers_window", False) and child.isVisible():
                return child
        return None


_PRESS = "Press"
"""Qt's name of the action; not translated."""


def speak_for(object_name: str, interface: Interface) -> None:
    """Let ``interface`` speak for a part of one of Qt's widgets, by the name that Qt gives to it."""
    _PARTS[object_name] = interface


def _make(_class_name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget):
        return None
    found = (_INTERFACES.get(kind) for kind in type(thing).__mro__)
    interface = next(filter(None, found), None) or _PARTS.get(thing.objectName())
    return interface(thing) if interface is not None else None


QAccessible.installFactory(_make)
