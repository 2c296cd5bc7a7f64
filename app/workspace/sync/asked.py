"""How long the service asked to wait."""

import asyncio
from typing import Final

from app.workspace.clock import Clock

_AGAIN_AFTER_S: Final = 60.0
"""A service that asks for more is asked again all the same: it may have meant less, or have room sooner.

As long as the longest pause after a failed call, so that no answer stops the sync for longer than that.
"""
_LONGEST_S: Final = 300 * 86_400.0
"""What is longer is as good as for ever, and would be no day that can be named without its year."""


class Asked:
    """Goes by wall time, which goes on while the computer sleeps, and the loop's, which nobody sets back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.forget()

    @property
    def wait(self) -> float:
        """Seconds until the next call makes sense; 0 when nothing was asked, or that time has come."""
        here = self._again_at - asyncio.get_running_loop().time() if self._again_at else 0.0
        return max(0.0, min(here, (self._until - self._clock()) / 1_000))

    @property
    def until(self) -> int | None:
        """Milliseconds since 1970 UTC; None when nothing was asked, or that time has come."""
        return self._until if self._until > self._clock() else None

    def note(self, seconds: float) -> None:
        """The service asked to wait so long."""
        self._until = self._clock() + round(min(seconds, _LONGEST_S) * 1_000)
        self._again_at = asyncio.get_running_loop().time() + min(seconds, _AGAIN_AFTER_S)

    def forget(self) -> None:
        """It takes calls again, or a person does not want to wait."""
        self._until, self._again_at = 0, 0.0
