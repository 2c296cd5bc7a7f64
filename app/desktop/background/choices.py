"""What a person chose of Kalends' life without its window, kept with how the window is set up."""

from typing import Final

from app.desktop.notices.switches import Memory

_KEEP: Final = "background/keep"
_LOGIN: Final = "background/login_asked"
_ON, _OFF = "on", "off"


class Choices:
    """What was never asked is None."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def keeps(self) -> bool | None:
        """Whether Kalends goes on publishing when its window is closed."""
        return {_ON: True, _OFF: False}.get(str(self._memory.recall(_KEEP)))

    def keep(self, *, on: bool) -> None:
        """Has Kalends go on, or end, when its window is closed."""
        self._memory.remember(_KEEP, _ON if on else _OFF)

    @property
    def was_asked_of_login(self) -> bool:
        """Whether it was asked once whether Kalends shall start at login."""
        return self._memory.recall(_LOGIN) == _ON

    def note_login_asked(self) -> None:
        """It is asked now, or was chosen unasked."""
        self._memory.remember(_LOGIN, _ON)
