"""What a scene is: a name, what is done until the picture can be taken, and whether a mock-up exists."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from tests.gallery import scenes
from tests.gallery.stage import Look, Mode, Stage

Play = Callable[[Stage], Awaitable[None]]
MODES: tuple[Mode, ...] = ("light", "dark")
SUNDAY = "2026-11-22T19:54"
"""The evening of the mock-ups, in UTC. Pictures in the guide begin then, so that each day makes the same."""

SMALL, LARGE, MOCKUP = (1280, 800), (1920, 1080), (1440, 900)


@dataclass(frozen=True, slots=True)
class Scene:
    """``has_mockup``: it's also shown in the size of the mockups, for comparison.

    ``at`` is the wall time at which it begins, as an ISO time in UTC; the present if empty.
    """

    name: str
    play: Play
    has_mockup: bool = False
    at: str = ""

    def looks(self) -> list[Look]:
        """Every way in which it is shown."""
        sizes = (SMALL, LARGE, MOCKUP) if self.has_mockup else (SMALL, LARGE)
        return [Look(mode, size) for size in sizes for mode in MODES]


class Screen:
    """The scenes of one screen, in the order in which they are written down."""

    def __init__(self) -> None:
        self.scenes: list[Scene] = []

    def scene(self, name: str, *, has_mockup: bool = False, at: str = "") -> Callable[[Play], Play]:
        """Makes a scene of a function that leaves the stage ready for the picture."""

        def add(play: Play) -> Play:
            self.scenes.append(Scene(name, play, has_mockup, at))
            return play

        return add


def find() -> dict[str, Scene]:
    """Every scene by its name, from the modules in ``scenes``; each has a ``SCREEN``."""
    names = sorted(module.name for module in iter_modules(scenes.__path__))
    screens: Iterable[Screen] = (import_module(f"{scenes.__name__}.{name}").SCREEN for name in names)
    found = [scene for screen in screens for scene in screen.scenes]
    by_name = {scene.name: scene for scene in found}
    if len(by_name) < len(found):
        raise ValueError("two scenes have the same name")
    return by_name
