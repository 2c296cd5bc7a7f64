"""The global switch for motion: the user's choice, the system's, and whether a key caused the change."""

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
    """Return the user's choice."""
    return _switch.mode


def choose(mode: Mode) -> None:
    """Set the user's choice: like the system, always, or never."""
    _switch.mode = mode


def set_system(*, allows: bool) -> None:
    """Set whether the system allows motion."""
    _switch.system_allows = allows


def is_on() -> bool:
    """Return whether changes that the user didn't cause are animated, such as a post that is published."""
    return _switch.system_allows if _switch.mode == "system" else _switch.mode == "on"


def answers() -> bool:
    """Return whether the current action is animated: not if a key caused it."""
    return not _switch.keys and is_on()


@contextmanager
def still() -> Iterator[None]:
    """Show the end state of all changes in this block immediately, because a key caused them."""
    _switch.keys += 1
    try:
        yield
    finally:
        _switch.keys -= 1
