"""Additional measurements: other views, live changes, and the peers."""

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.benchmarks.calendar import fullcalendar, gnome
from tests.benchmarks.calendar.stage import MissingError, Stage, told
from tests.benchmarks.samples import percentile

Figures = dict[str, float]
_SYSTEM_PYTHON: Final = "/usr/bin/python3"


def measure(name: str, stage: Stage) -> Figures:
    """Return the figures of a part; 0 with a message if something is missing."""
    try:
        figures = _PARTS[name](stage)
    except MissingError as error:
        print(f"{name} cannot take part, so its figure is 0: {error}.", file=sys.stderr)
        return {name: 0.0}
    return {f"{name}_{figure}": value for figure, value in figures.items()}


def _week(stage: Stage) -> Figures:
    return _all(stage.pane("week"))


def _doubled(stage: Stage) -> Figures:
    """With two device pixels per logical pixel."""
    month, week = (_all(stage.pane(span, QT_SCALE_FACTOR="2")) for span in ("month", "week"))
    return month | {f"week_{name}": value for name, value in week.items()}


def _listened(stage: Stage) -> Figures:
    """With a client listening on the accessibility bus."""
    if shutil.which("dbus-run-session") is None or stage.screen.picture is None:
        raise MissingError("there is no session bus, or no X server, here")
    client = ("dbus-run-session", "--", _SYSTEM_PYTHON, str(Path(__file__).with_name("listener.py")))
    try:
        told((_SYSTEM_PYTHON, "-c", "import pyatspi; print(0)"), stage.screen.environment)
    except (RuntimeError, OSError):
        raise MissingError("pyatspi is not installed here") from None
    found = stage.pane("month", client, QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", NO_AT_BRIDGE="0")
    return {**_all(found), "messages": found["heard"]}


def _live(stage: Stage) -> Figures:
    command = (sys.executable, "-m", "tests.benchmarks.calendar.live", str(stage.posts))
    taken = told(command, stage.screen.environment)
    return {"ms_p50": percentile(taken, 0.5), "ms_p95": percentile(taken, 0.95)}


def _all(found: Mapping[str, Figures]) -> Figures:
    """Return all figures of a view, with a name that also fits a week."""
    return {
        name.replace("next_month", "next"): value
        for part in ("named", "besides")
        for name, value in found[part].items()
    }


_PARTS: Final[dict[str, Callable[[Stage], Figures]]] = {
    "week": _week,
    "doubled": _doubled,
    "listened": _listened,
    "live": _live,
    "fullcalendar": fullcalendar.measure,
    "gnome": gnome.measure,
}
NAMES: Final = tuple(_PARTS)
PROGRAMS: Final[dict[str, tuple[str, ...]]] = {
    "listened": ("dbus-run-session",),
    "fullcalendar": fullcalendar.PROGRAMS,
    "gnome": gnome.PROGRAMS,
}
"""Programs on the PATH that a part needs."""
