"""Everything that can be done, under its name and with its keys: what the palette and the keyboard help list.

Keys work because a command has them: nothing else binds them, so a list of commands cannot lie.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

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
"""The plus behind what is held; a plus that is the key itself follows none."""

_ARROWS = frozenset("←→↑↓")


def _always() -> bool:
    return True


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a person can do.

    Attributes:
        name: What it is called; "…" at its end says that it asks for more.
        group: The heading that it is listed below.
        run: Does it; False says that there was nothing to do, and leaves the key to others.
        keys: Work wherever the focus is, while what the command belongs to can be seen.
        focus_keys: Work while what the command belongs to has the focus.
        icon: Of an entry in the palette.
        words: More words by which it is found.
        enabled: Whether there is something to do now.
        detail: What it would be done to now, in a few words.
        listed: Whether the palette offers it; what only a key makes sense for is not.
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

    @property
    def all_keys(self) -> tuple[str, ...]:
        return (*self.keys, *self.focus_keys)


class CommandSet(QObject):
    """The commands of a widget. ``place`` is the destination where it stands; empty for everywhere."""

    def __init__(self, owner: QWidget, place: str = "", *, within: bool = False) -> None:
        """``within``: keys work only while the focus is in the owner."""
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
        """Adds commands, and from now on their keys work."""
        for command in commands:
            self._fixed.append(command)
            for key in command.keys:
                self._bind(key, command)
            for key in command.focus_keys:
                self._by_focus_key[QKeySequence(key)] = command

    def add_source(self, source: Callable[[], Iterable[Command]]) -> None:
        """Adds commands without keys that are others from time to time."""
        self._sources.append(source)

    def all(self) -> list[Command]:
        """Every command there is now."""
        return [*self._fixed, *(command for source in self._sources for command in source())]

    def press(self, event: QKeyEvent) -> bool:
        """Runs what a key means while the owner has the focus; False when it means nothing."""
        plain = QKeyCombination(event.modifiers() & ~_KEYPAD, Qt.Key(event.key()))
        command = self._by_focus_key.get(QKeySequence(plain))
        with motion.still():
            return command is not None and command.enabled() and command.run() is not False

    def end(self) -> None:
        """Takes the commands and their keys away, while the owner stays."""
        for shortcut in self._shortcuts:
            shortcut.deleteLater()
        self.setParent(None)
        self.deleteLater()

    def _bind(self, key: str, command: Command) -> None:
        shortcut = QShortcut(QKeySequence(key), self._owner)
        shortcut.setContext(self._context)

        def run() -> None:
            with motion.still():
                if command.enabled():
                    command.run()

        shortcut.activated.connect(run)
        self._shortcuts.append(shortcut)


@cache
def key_caps(key: str) -> tuple[str, ...]:
    """What stands on the keys to press: ``("Ctrl", "Shift", "Z")``."""
    *held, last = _HELD.split(QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText))
    return tuple(_CAPS.get(cap, cap) for cap in (*held, last))


def key_groups(keys: Iterable[str]) -> list[list[str]]:
    """The caps of several keys that do the same; arrows stand together behind what is held with them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for key in keys:
        *held, last = key_caps(key)
        together = (*held, "") if last in _ARROWS else (*held, last)
        pressed = groups.setdefault(together, [])
        if last not in pressed:
            pressed.append(last)
    return [[*together[:-1], *pressed] for together, pressed in groups.items()]


def spoken(key: str) -> str:
    """A key as a screen reader says it."""
    return " ".join(key_caps(key))
