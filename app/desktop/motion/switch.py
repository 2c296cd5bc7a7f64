"""The one switch for motion: the user's choice, the system's, and whether a key asked for the change."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Mode = Literal["system", "on", "off"]


class _Switch:
    def __init__(self) -> None:
        self.mode: Mode = "system"
        self.system_allows = False
        """Whether the system allows motion. Until it was asked, nothing moves."""
        self.keys = 0
        """How many commands that a key started are running."""


_switch = _Switch()


def mode() -> Mode:
    """Return what the user chose."""
    return _switch.mode


def choose(mode: Mode) -> None:
    """Set the user's choice: like the system, always, or never."""
    _switch.mode = mode


def set_system(*, allows: bool) -> None:
    """Set whether the system allows motion."""
    _switch.system_allows = allows


def is_on() -> bool:
    """Return whether things move that nobody asked for, such as a post that is published."""
    return _switch.system_allows if _switch.mode == "system" else _switch.mode == "on"


def answers() -> bool:
    """Return whether things move in answer to the current action: not if a key caused it."""
    return not _switch.keys and is_on()


@contextmanager
def still() -> Iterator[None]:
    """Show the end state immediately for everything that changes in this block, because a key caused it."""
    _switch.keys += 1
    try:
        yield
    finally:
        _switch.keys -= 1
