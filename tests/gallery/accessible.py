"""What's wrong in a window for a screen reader: missing names, wrong roles, and things that are alike."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.widgets import Sheet
from app.desktop.widgets.focus import tab_stops

_Role = QAccessible.Role
OPERATED = frozenset(
    {
        _Role.Button,
        _Role.ButtonMenu,
        _Role.Canvas,
        _Role.Cell,
        _Role.Chart,
        _Role.CheckBox,
        _Role.ColumnHeader,
        _Role.ComboBox,
        _Role.Dialog,
        _Role.EditableText,
        _Role.Grouping,
        _Role.List,
        _Role.ListItem,
        _Role.MenuItem,
        _Role.PageTab,
        _Role.PopupMenu,
        _Role.RadioButton,
        _Role.RowHeader,
        _Role.Slider,
        _Role.SpinBox,
        _Role.StaticText,
        _Role.StatusBar,
        _Role.Switch,
        _Role.Table,
        _Role.Tree,
        _Role.TreeItem,
        _Role.Window,
    }
)
"""What a thing with the focus may be; a screen reader passes over others, such as Qt's "client"."""
_ITEMS = frozenset({_Role.ListItem, _Role.Cell, _Role.TreeItem})
"""These may be alike: a screen reader also says their place in the list."""
_KEYS = re.compile(r"\((Ctrl\+|Shift\+|Alt\+|F\d)")
_MORE_STOPS = 20
"""How often Tab is pressed beyond one round: the round may begin anywhere, and stops may come up."""
_MOST_ITEMS = 60
"""Of a list that's longer, only the first are read."""
_CONTEXTS = frozenset(
    {
        _Role.Cell,
        _Role.ComplementaryContent,
        _Role.Dialog,
        _Role.Grouping,
        _Role.List,
        _Role.ListItem,
        _Role.Notification,
        _Role.PageTabList,
        _Role.PopupMenu,
        _Role.Section,
        _Role.Table,
        _Role.ToolBar,
        _Role.Window,
    }
)
"""What a screen reader names when the focus comes into it."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can have the focus, with the names of what it's in."""

    role: QAccessible.Role
    name: str
    description: str
    context: tuple[str, ...]

    @property
    def repeats_name(self) -> bool:
        """Whether the description is the name. Of a field, Qt takes the placeholder for it."""
        return bool(self.name) and self.description == self.name and self.role is not _Role.EditableText

    def __str__(self) -> str:
        return f"{self.role.name} {self.name!r} in {' > '.join(self.context)}"


def faults(top: QAccessibleInterface) -> list[str]:
    """Return what a screen reader would say wrongly in a window or a menu, in words."""
    things = list(_focusable(top, ()))
    found = [f"says its name twice: {thing}" for thing in things if thing.repeats_name]
    found += [f"has a key in its name: {thing}" for thing in things if _KEYS.search(thing.name)]
    found += [f"has no name: {thing}" for thing in things if not thing.name]
    found += [f"can't be operated: {thing}" for thing in things if thing.role not in OPERATED]
    alike = Counter(str(thing) for thing in things if thing.name and thing.role not in _ITEMS)
    return found + [f"{count} are alike: {thing}" for thing, count in alike.items() if count > 1]


def unreached(window: QWidget) -> list[str]:
    """Press Tab until it comes round, and return what it left out: of a sheet's controls if one is open."""
    sheets = [one for one in window.findChildren(Sheet) if one.isVisible()]
    stops = list(tab_stops(sheets[-1] if sheets else window))
    reached: set[QWidget] = set()
    for _ in range(len(stops) + _MORE_STOPS):
        focused = QApplication.focusWidget()
        if focused is None or focused.window() is not window:
            focused = sheets[-1] if sheets else window
        if focused in reached and reached.issuperset(stops):
            break
        reached.add(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    missed = [one for one in stops if not any(one is each or one.isAncestorOf(each) for each in reached)]
    return [f"Tab never comes to {type(one).__name__} {one.accessibleName()!r}" for one in missed]


def _focusable(part: QAccessibleInterface, context: tuple[str, ...]) -> Iterator[Thing]:
    state, role, name = part.state(), part.role(), _name(part)
    if state.invisible:
        return
    if state.focusable and not state.disabled:
        yield Thing(role, name, part.text(QAccessible.Text.Description), context)
    if name and role in _CONTEXTS:
        context = (*context, name)
    items = 0
    for number in range(part.childCount()):
        child = part.child(number)
        if not child.isValid():
            continue
        items += child.role() in _ITEMS
        if items > _MOST_ITEMS:
            return
        yield from _focusable(child, context)


def _name(part: QAccessibleInterface) -> str:
    """Return a thing's name. A combo box's own name is its choice on Linux, so its label counts instead."""
    if part.role() is _Role.ComboBox:
        labels = [label for label, _ in part.relations(QAccessible.RelationFlag.Label)]
        return labels[0].text(QAccessible.Text.Name) if labels else ""
    return part.text(QAccessible.Text.Name)
