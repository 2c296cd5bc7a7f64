"""Accessibility: roles of our own widgets, visible items, and announcements."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAccessibleWidget,
    QFrame,
    QListView,
    QListWidget,
    QTableView,
    QWidget,
)

Widget = TypeVar("Widget", bound=QWidget)
Interface = Callable[[QWidget], QAccessibleInterface]

_INTERFACES: dict[type[QWidget], Interface] = {}
_PARTS: dict[str, Interface] = {}


def spoken_as(role: QAccessible.Role) -> Callable[[type[Widget]], type[Widget]]:
    """Return a decorator that gives a widget class and its subclasses a role."""
    return spoken_by(lambda widget: QAccessibleWidget(widget, role))


def spoken_by(interface: Interface) -> Callable[[type[Widget]], type[Widget]]:
    """Return a decorator that lets ``interface`` represent a widget class and its subclasses."""

    def register(kind: type[Widget]) -> type[Widget]:
        _INTERFACES[kind] = interface
        return kind

    return register


class ButtonInterface(QAccessibleWidget):
    """A button with a role other than Qt's; it can be pressed."""

    def actionNames(self) -> list[str]:  # noqa: N802  Qt's
        """Return the actions, pressing first."""
        return [_PRESS, *super().actionNames()]

    def doAction(self, actionName: str) -> None:  # noqa: N802, N803  Qt's
        """Press the button, or perform a widget's usual action."""
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
        """Return Qt's state, and whether the tab is selected."""
        state, button = super().state(), self.widget()
        state.selectable = True
        state.selected = isinstance(button, QAbstractButton) and button.isChecked()
        return state


class PopupInterface(ButtonInterface):
    """A button that opens a menu or a panel of choices."""

    def __init__(self, button: QWidget) -> None:
        super().__init__(button, QAccessible.Role.ButtonMenu)

    def state(self) -> QAccessible.State:
        """Return Qt's state, and that it has a popup."""
        state = super().state()
        state.hasPopup = True
        return state


class WindowInterface(QAccessibleWidget):
    """A window. While a widget with ``covers_window`` is open in it, such as a sheet, it's the only child."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, QAccessible.Role.Window)

    def childCount(self) -> int:  # noqa: N802  Qt's
        """Return the number of accessible children."""
        return super().childCount() if self._cover() is None else 1

    def child(self, index: int) -> QAccessibleInterface:
        """Return an accessible child."""
        cover = self._cover()
        return super().child(index) if cover is None else QAccessible.queryAccessibleInterface(cover)

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802  Qt's
        """Return the index of a child; -1 if it isn't accessible."""
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
    """Let ``interface`` represent a part of a Qt widget, by the name that Qt gives to it."""
    _PARTS[object_name] = interface


def _make(_class_name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget):
        return None
    found = (_INTERFACES.get(kind) for kind in type(thing).__mro__)
    interface = next(filter(None, found), None) or _PARTS.get(thing.objectName())
    return interface(thing) if interface is not None else None


QAccessible.installFactory(_make)


_PAUSE_MS = 800


def announce(source: QWidget, text: str, *, urgent: bool = False) -> None:
    """Announce `text` after the current speech, or immediately if urgent."""
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(source, text)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)


def rename(widget: QWidget, name: str) -> None:
    """Set an accessible name, unless it's the same: Qt would send screen readers an event even then."""
    if widget.accessibleName() != name:
        QWidget.setAccessibleName(widget, name)


class PausedAnnouncer(QObject):
    """Announces the latest text once it hasn't changed for a moment, so as not to interrupt."""

    def __init__(self, source: QWidget) -> None:
        super().__init__(source)
        self._source = source
        self._text = self._said = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._say)

    def tell(self, text: str) -> None:
        """Announce `text` after a pause, unless it was the last one; "" forgets the last one."""
        self._text = text
        self._pause.start()

    def skip(self) -> None:
        """Skip the latest text, because it was announced otherwise."""
        self._said = self._text
        self._pause.stop()

    def _say(self) -> None:
        if self._text != self._said:
            self._said = self._text
            announce(self._source, self._text)


Index = QModelIndex | QPersistentModelIndex
_ENSURE = QAbstractItemView.ScrollHint.EnsureVisible

if TYPE_CHECKING:
    _View = QAbstractItemView
else:
    _View = object  # a class can't inherit from two of Qt's


class _WhileShown(_View):
    """Removes the items' positions while the view is hidden.

    Qt treats an item as visible if it has a position in the view, without checking whether the view is
    visible.
    """

    _asks_itself = False

    def visualRect(self, index: Index) -> QRect:
        return super().visualRect(index) if self.isVisible() or self._asks_itself else QRect()

    def scrollTo(self, index: Index, hint: QAbstractItemView.ScrollHint = _ENSURE) -> None:
        with self._placed():
            super().scrollTo(index, hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self._placed():  # a hidden view still paints when it's grabbed
            super().paintEvent(event)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Items have positions even in a hidden view, which uses them itself."""
        self._asks_itself = True
        try:
            yield
        finally:
            self._asks_itself = False


class ListView(_WhileShown, QListView):
    """A list of a model."""


class ListWidget(_WhileShown, QListWidget):
    """A list that stores its own items."""


class TableView(_WhileShown, QTableView):
    """A table of a model."""


def announce_focus(view: QWidget, row: int) -> None:
    """Tell screen readers that a row's card has the focus."""
    _send(view, row, QAccessible.Event.Focus)


def announce_selection(view: QWidget, cards: QItemSelection, *, added: bool) -> None:
    """Tell screen readers that cards were selected or deselected."""
    kind = QAccessible.Event.SelectionAdd if added else QAccessible.Event.SelectionRemove
    if QAccessible.isActive():  # nobody needs hundreds of rows named that nobody hears of
        for index in cards.indexes():
            _send(view, index.row(), kind)


def _send(view: QWidget, row: int, kind: QAccessible.Event) -> None:
    if not QAccessible.isActive():
        return
    event = QAccessibleEvent(view, kind)
    event.setChild(row)
    QAccessible.updateAccessibility(event)


T = TypeVar("T")


class RowList(ListView):
    """A list of rows of equal height, so that it can hold a hundred thousand.

    Args:
        model: the rows.
        name: the accessible name.
    """

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @contextmanager
    def staying(self, at: Callable[[int], T | None], row_of: Callable[[T], int]) -> Iterator[None]:
        """Keep the visible rows in place while rows are added and removed; at the top, show new ones.

        Args:
            at: returns the content of a row.
            row_of: returns the row of that content afterwards, -1 for none.
        """
        bar, top = self.verticalScrollBar(), self.indexAt(QPoint(1, 1))
        is_at_top, begins = bar.value() == 0, QListView.visualRect(self, top).top()
        seen = at(top.row()) if top.isValid() else None
        yield
        if is_at_top:
            self.scrollToTop()
        elif seen is not None and (row := row_of(seen)) >= 0:
            self.scrollTo(self.model().index(row, 0), QAbstractItemView.ScrollHint.PositionAtTop)
            bar.setValue(bar.value() - begins)
