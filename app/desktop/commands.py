"""All commands of the app, with names and shortcuts, as listed by the palette and the keyboard help.

Shortcuts are only bound through commands, so the lists are always correct.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.desktop import motion
from app.language import trc

_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_CAPS = {
    "Left": "←",
    "Right": "→",
    "Up": "↑",
    "Down": "↓",
    "Return": trc("key", "Enter"),
    "Enter": trc("key", "Enter"),
    "PgUp": trc("key", "Page up"),
    "PgDown": trc("key", "Page down"),
    "Ctrl": trc("key", "Ctrl"),
    "Shift": trc("key", "Shift"),
    "Del": trc("key", "Del"),
    "Space": trc("key", "Space"),
}
_HELD = re.compile(r"(?<=\w)\+")
"""The plus after a modifier; as the key itself, it doesn't follow a word character."""

_TEXTS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
_ARROWS = frozenset("←→↑↓")


def _always() -> bool:
    return True


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command for the user.

    Attributes:
        name: Its name; a final "…" means that it asks for more.
        group: The heading it's listed under.
        run: Runs it; returning False means there was nothing to do, and leaves the key to others.
        keys: Shortcuts that work wherever the focus is, while the command's widget is visible.
        focus_keys: Shortcuts that work while the command's widget has the focus.
        icon: Its icon in the palette.
        words: Additional search terms.
        enabled: Whether there is something to do now.
        detail: What it currently applies to, in a few words.
        listed: Whether the palette lists it; False for commands that only make sense as a shortcut.
        yields: Whether its shortcuts do nothing while the user edits a text or writes a post, which have
            steps of their own.
    """

    name: str
    group: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    focus_keys: tuple[str, ...] = ()
    icon: str = "arrow-right"
    words: str = ""
    enabled: Callable[[], bool] = _always
    detail: Callable[[], str] = _nothing
    listed: bool = True
    yields: bool = False

    @property
    def all_keys(self) -> tuple[str, ...]:
        return (*self.keys, *self.focus_keys)


class CommandSet(QObject):
    """The commands of a widget. ``place`` is the destination of the widget; empty for everywhere."""

    def __init__(self, owner: QWidget, place: str = "", *, within: bool = False) -> None:
        """``within``: shortcuts only work while the focus is in the owner."""
        super().__init__(owner)
        context = Qt.ShortcutContext
        self._context = context.WidgetWithChildrenShortcut if within else context.WindowShortcut
        self.place = place
        self._owner = owner
        self._fixed: list[Command] = []
        self._sources: list[Callable[[], Iterable[Command]]] = []
        self._shortcuts: list[QShortcut] = []
        self._by_focus_key: dict[QKeySequence, Command] = {}

    def add(self, *commands: Command) -> None:
        """Add commands, and bind their shortcuts."""
        for command in commands:
            self._fixed.append(command)
            for key in command.keys:
                self._bind(key, command)
            for key in command.focus_keys:
                self._by_focus_key[QKeySequence(key)] = command

    def add_source(self, source: Callable[[], Iterable[Command]]) -> None:
        """Add commands without shortcuts that may change."""
        self._sources.append(source)

    def all(self) -> list[Command]:
        """Return all current commands."""
        return [*self._fixed, *(command for source in self._sources for command in source())]

    def press(self, event: QKeyEvent) -> bool:
        """Run the command of a key while the owner has the focus; return False if there is none."""
        plain = QKeyCombination(event.modifiers() & ~_KEYPAD, Qt.Key(event.key()))
        command = self._by_focus_key.get(QKeySequence(plain))
        with motion.still():
            return command is not None and command.enabled() and command.run() is not False

    def end(self) -> None:
        """Remove the commands and their shortcuts, while the owner stays."""
        for shortcut in self._shortcuts:
            shortcut.deleteLater()
        self.setParent(None)
        self.deleteLater()

    def _bind(self, key: str, command: Command) -> None:
        shortcut = QShortcut(QKeySequence(key), self._owner)
        shortcut.setContext(self._context)
        shortcut.setAutoRepeat(not command.yields)  # or holding Undo down would undo dozens of steps

        def run() -> None:
            with motion.still():
                if command.enabled() and not (command.yields and _edits(QApplication.focusWidget())):
                    command.run()

        shortcut.activated.connect(run)
        self._shortcuts.append(shortcut)


def _edits(focused: QWidget | None) -> bool:
    """Whether the focus is in an editable text, or in a widget with the property ``edits``."""
    if isinstance(focused, _TEXTS) and not focused.isReadOnly():
        return True
    while focused is not None and not focused.property("edits"):
        focused = focused.parentWidget()
    return focused is not None


@cache
def key_caps(key: str) -> tuple[str, ...]:
    """Return the labels of the keys to press: ``("Ctrl", "Shift", "Z")``."""
    *held, last = _HELD.split(QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText))
    return tuple(_CAPS.get(cap, cap) for cap in (*held, last))


def key_groups(keys: Iterable[str]) -> list[list[str]]:
    """Return the labels of several shortcuts of a command; arrows share one group per set of modifiers."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for key in keys:
        *held, last = key_caps(key)
        together = (*held, "") if last in _ARROWS else (*held, last)
        pressed = groups.setdefault(together, [])
        if last not in pressed:
            pressed.append(last)
    return [[*together[:-1], *pressed] for together, pressed in groups.items()]


def spoken(key: str) -> str:
    """Return a shortcut as read by screen readers."""
    return " ".join(key_caps(key))
