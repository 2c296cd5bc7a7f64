"""Lengths and delays that the whole app shares."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Metrics:
    """Lengths in logical pixels on the 4 px grid, and times in milliseconds."""

    control: int = 32
    control_small: int = 28
    chip: int = 26
    line: int = 18
    """From one line of text to the next."""
    radius: int = 7
    radius_card: int = 5
    radius_panel: int = 10
    ring: int = 2
    icon: int = 16
    rail: int = 208
    composer: int = 440
    gutter: int = 20
    gap: int = 12
    skeleton_delay: int = 150

    @classmethod
    def at(cls, scale: float) -> Self:
        """Return the measures for a text scale: controls and icons grow with text."""
        return cls(
            control=max(cls.control, round(16 * scale) + 12),
            control_small=max(cls.control_small, round(15 * scale) + 10),
            chip=max(cls.chip, round(15 * scale) + 8),
            icon=max(cls.icon, round(cls.icon * scale)),
            line=max(cls.line, round(cls.line * scale)),
        )
