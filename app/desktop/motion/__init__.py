"""Motion: durations and curves of animations, and whether there are any.

Only pictures move. State, layout and focus are final before the first frame, so with motion off, or for
changes by keyboard, the end state shows immediately. The next click, key or wheel step ends all animations.
"""

from app.desktop.motion.animation import Run, finish_all, is_moving, play
from app.desktop.motion.overlay import Overlay, cover, picture_of, slide
from app.desktop.motion.switch import Mode, answers, choose, is_on, mode, still

__all__ = [
    "Mode",
    "Overlay",
    "Run",
    "answers",
    "choose",
    "cover",
    "finish_all",
    "is_moving",
    "is_on",
    "mode",
    "picture_of",
    "play",
    "slide",
    "still",
]
