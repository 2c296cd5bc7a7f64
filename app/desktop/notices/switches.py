"""What a person wants to be told of, kept with how the window is set up."""

from typing import Final, Protocol

from app.workspace.notices.notice import NoticeKind

_ALL: Final = "notices/all"
_ON, _OFF = "on", "off"


class Memory(Protocol):
    """Keeps small things by name, as the window does."""

    def remember(self, name: str, value: str) -> None: ...
    def recall(self, name: str) -> object: ...


class Switches:
    """One for each kind, and one for all; all are on until somebody turns them off."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def is_on(self) -> bool:
        """Whether anything is told."""
        return self._memory.recall(_ALL) != _OFF

    def turn(self, *, on: bool) -> None:
        """Turns everything on or off; which kinds were chosen stays known."""
        self._memory.remember(_ALL, _ON if on else _OFF)

    def is_chosen(self, kind: NoticeKind) -> bool:
        """Whether a kind is told, while anything is."""
        return self._memory.recall(_name(kind)) != _OFF

    def choose(self, kind: NoticeKind, *, on: bool) -> None:
        """Has a kind told, or not."""
        self._memory.remember(_name(kind), _ON if on else _OFF)

    def wants(self, kind: NoticeKind) -> bool:
        """Whether a kind is told now."""
        return self.is_on and self.is_chosen(kind)


def _name(kind: NoticeKind) -> str:
    return f"notices/{kind.value}"
