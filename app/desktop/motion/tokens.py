"""The durations, curves and distances of all animations.

Reactions to an action take at most 150 ms. Two take longer: a refusal, which must be noticed, and a post that
is published, which nobody waits for.
"""

from typing import Final, NamedTuple

from PySide6.QtCore import QEasingCurve


class Timing(NamedTuple):
    """The duration of an animation, in ms, and its curve."""

    ms: int
    curve: QEasingCurve.Type = QEasingCurve.Type.OutCubic


_EVEN: Final = QEasingCurve.Type.Linear

PANEL: Final = Timing(140)
SHEET: Final = Timing(120)
SHEET_CLOSES: Final = Timing(90)
TOAST: Final = Timing(120)
THUMB: Final = Timing(120)
"""The chosen segment of a segmented control."""
SNAP: Final = Timing(120)
"""Days that come to rest after scrolling sideways."""
TURN: Final = Timing(140)
"""The next or the previous period."""
ZOOM: Final = Timing(150, QEasingCurve.Type.InOutCubic)
"""From a month to one of its weeks, and back."""
LIFT: Final = Timing(90)
MOVE: Final = Timing(140)
"""A card whose time changed."""
SETTLE: Final = Timing(140, _EVEN)
"""A dropped card on its way to its place. Its path has its own curve, with the overshoot."""
REFUSED: Final = Timing(320, _EVEN)
"""The shake, then the way home."""
PUBLISHED: Final = Timing(750, _EVEN)
"""The account's colour fills the card, a tick is drawn, and both fade."""

PANEL_PX: Final = 24
TOAST_PX: Final = 12
SHEET_SCALE: Final = 0.98
TURN_PX: Final = 160
"""Maximum distance that days slide."""
LIFT_SCALE: Final = 0.03
OVERSHOOT_PX: Final = 2
SHAKE_PX: Final = 4
SHAKES: Final = 3
SHAKE_SHARE: Final = 0.56
"""Part of ``REFUSED`` that is the shake."""
FILL_SHARE: Final = 0.53
TICK_SHARE: Final = 0.27
"""Parts of ``PUBLISHED`` that are the fill and the tick; the rest is the fade."""
