"""The command: measures every scene in both themes and all text sizes, and lists what to fix."""

import gc
import logging
import sys
import time
from collections.abc import Iterable, Sequence

import structlog
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop import qt_language
from app.desktop.calendar.view import CalendarView
from app.desktop.shell.window import MainWindow
from app.workspace.preferences import TEXT_SIZES
from tests.gallery.measure.findings import Finding, Tally, measure_contrast, measure_fits
from tests.gallery.measure.options import Options
from tests.gallery.measure.texts import texts_of
from tests.gallery.scene import MODES, SMALL, Scene, find
from tests.gallery.showing import Failure, play
from tests.gallery.stage import Look, Mode, Size, Stage, run

_SMALLEST = (1024, 640)
_ROUNDS = 3


def main(options: Options) -> int:
    """Measure the scenes; return 1 if something has to be fixed, or couldn't be shown."""
    scenes = _wanted(options.only)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    app = QApplication(["kalends-gallery"])
    qt_language.speak(app)
    gc.freeze()  # what is imported stays; only what scenes leave is looked through
    started, tally = time.monotonic(), Tally()
    failures = measure(app, scenes, options.sizes, tally, MODES[:1] if options.quick else MODES)
    for failure in failures:
        sys.stderr.write(f"{failure}\n")
    _tell(tally)
    print(f"{len(scenes)} scenes, {time.monotonic() - started:.0f} s")
    return 1 if failures or tally.findings or not scenes else 0


def _wanted(only: Sequence[str]) -> list[Scene]:
    """The scenes of these names, or all whose names begin with them; without any, all."""
    scenes = find()
    found = {one: scenes[one] for one in only if one in scenes}
    begin = tuple(one for one in only if one not in scenes)
    found |= {name: scene for name, scene in scenes.items() if begin and name.startswith(begin)}
    return list((found if only else scenes).values())


def measure(
    app: QApplication, scenes: Iterable[Scene], sizes: Sequence[int], tally: Tally, modes: Sequence[Mode]
) -> list[Failure]:
    """Measure scenes one after the other, each in a window per theme; return which couldn't be shown.

    The first window is switched to the other sizes of text, the smallest window and the dark theme.
    """
    failures: list[Failure] = []

    async def work() -> None:
        for number, scene in enumerate(scenes, 1):
            sys.stderr.write(f"{number}: {scene.name}\n")
            before = len(tally.distinct())
            for mode in modes:

                async def look(stage: Stage, scene: Scene = scene) -> None:
                    await _look(stage, scene.name, sizes, tally)

                failures.extend(await play(scene, Look(mode, SMALL), look))
            for finding, _ in tally.distinct()[before:]:
                print(finding, flush=True)

    run(app, work())
    return failures


async def _look(stage: Stage, scene: str, sizes: Iterable[int], tally: Tally) -> None:
    """Its theme; then once what else a person can change: text, window, theme."""
    window, mode = stage.window, stage.look.mode
    if window is None:
        raise RuntimeError("the scene showed no window")
    _measure_contrast(tally, scene, mode, window, stage.menus())
    if mode != MODES[0] or _is_dragging(window):
        return
    usual = window.text_size
    for size in sizes:
        set_text_size(window, size)
        await _settle(stage)
        _measure_fits(tally, scene, f"{size} %", window, stage.menus(), SMALL)
    set_text_size(window, usual)
    window.resize(*_SMALLEST)
    await _settle(stage)
    _measure_fits(tally, scene, "small", window, stage.menus(), _SMALLEST)
    window.resize(*SMALL)
    window.set_appearance(MODES[1])
    await _settle(stage)
    _measure_contrast(tally, scene, f"to {MODES[1]}", window, stage.menus())


async def _settle(stage: Stage) -> None:
    """Layouts within layouts come to rest one after the other."""
    for _ in range(_ROUNDS):
        await stage.settle()


def _is_dragging(window: MainWindow) -> bool:
    """Whether something is held: nobody can change the look meanwhile."""
    return any(view.drag is not None for view in window.findChildren(CalendarView))


def _measure_contrast(tally: Tally, scene: str, at: str, window: QWidget, menus: list[QWidget]) -> None:
    for top in (window, *menus):
        measure_contrast(tally, scene, at, top.grab().toImage(), texts_of(top))


def _measure_fits(
    tally: Tally, scene: str, at: str, window: QWidget, menus: list[QWidget], size: Size
) -> None:
    for top in (window, *menus):
        measure_fits(tally, scene, at, top, texts_of(top))
    if (window.width(), window.height()) != size:
        needed = f"needs {window.width()} x {window.height()}"
        tally.findings.append(Finding("window", scene, at, "The window", needed))


def set_text_size(window: MainWindow, size: int) -> None:
    """Change a window's text size, in percent."""
    steps = TEXT_SIZES.index(size) - TEXT_SIZES.index(window.text_size)
    if steps:
        window.change_text_size(steps)


def _tell(tally: Tally) -> None:
    found = tally.distinct()
    for at, texts in tally.texts.items():
        below = [one for one, _ in found if one.at == at]
        ratio, where = tally.lowest.get(at, (0, ""))
        print(
            f"{at}: {texts} texts, {len(below)} to mend"
            + (f", lowest {ratio:.2f} ({where})" if ratio else "")
        )
    print(f"{tally.disabled} texts of disabled controls are exempt from contrast")
    print(f"{tally.shortened} texts end early where a tooltip has the whole")
