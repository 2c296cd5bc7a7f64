"""Which platforms' rows a caller sees.

The specified API never shows a companion network. Everything that reads rows for callers therefore takes a
reach, and leaves companion networks out unless it's told otherwise.
"""

from enum import Enum, auto

from sqlalchemy import Column, ColumnElement, true

from app.database import is_one_of
from app.platforms.cards import COMPANION_NETWORKS


class Reach(Enum):
    """Platforms of the specification, companion networks, or both."""

    SPECIFIED = auto()
    COMPANION = auto()
    ALL = auto()

    def takes(self, platform: Column[str]) -> ColumnElement[bool]:
        """Return the condition that a row's platform is within reach."""
        if self is Reach.ALL:
            return true()
        is_companion = is_one_of(platform, COMPANION_NETWORKS)
        return is_companion if self is Reach.COMPANION else ~is_companion
