"""GNOME Calendar, extracted from Debian packages into a scratch folder and measured from outside.

It doesn't report its activity, so its pixels do: a time runs from a key press to the last pixel change before
the calendar and its data server are idle.
"""

import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil

from tests.benchmarks.calendar import unpacked
from tests.benchmarks.calendar.pixels import Pixels
from tests.benchmarks.calendar.plan import now_ms, planned
from tests.benchmarks.calendar.stage import MissingError, Stage
from tests.benchmarks.calendar.work import Work
from tests.benchmarks.samples import percentile

PACKAGES: Final = ("gnome-calendar", "evolution-data-server")
PROGRAMS: Final = (*unpacked.PROGRAMS, "xdotool")
_QUIET_S: Final = 0.5
_START_QUIET_S: Final = 3.0
_START_PATIENCE_S: Final = 300.0
"""Timeout of the start in s. With 100,000 events, it takes seconds, minutes, or forever."""
_PATIENCE_S: Final = 150.0
"""Timeout of a key press after that, in s."""
_TURNS: Final = 8
_SETTINGS: Final = """
[org/gnome/calendar]
window-maximized=false
window-size=(1440, 900)
active-view='{span}'
"""


def measure(stage: Stage) -> dict[str, float]:
    """Return the figures for month and week. Raises MissingError."""
    if stage.screen.picture is None:
        raise MissingError("there is no X server here whose pixels could be watched")
    root = stage.scratch / "gnome"
    if shutil.which("xdotool") is None:
        raise MissingError("xdotool is not installed here")
    unpacked.bring(root, PACKAGES, "gnome-calendar")
    pixels = Pixels(stage.screen.picture)
    figures: dict[str, float] = {}
    for span in ("month", "week"):
        found = _measure(stage, root, pixels, span)
        figures |= {f"{span}_{name}": value for name, value in found.items()}
    pixels.close()
    if not figures:
        raise MissingError("it did not come to rest after any start")
    return figures


def _measure(stage: Stage, root: Path, pixels: Pixels, span: str) -> dict[str, float]:
    """Return the figures until the first timeout."""
    home = stage.scratch / f"gnome-{span}"
    environment = {**stage.screen.environment, **furnish(home, span, stage.posts)}
    before, started = pixels.seen(), time.perf_counter()
    found: dict[str, float] = {}
    with unpacked.running(root, ("gnome-calendar",), environment) as program, _in_patience(span):
        work = Work(program.pid)
        shown = pixels.last_change(before, _START_QUIET_S, _START_PATIENCE_S, work)
        found["start_ms"] = (shown - started) * 1_000
        found["rss_mb"] = _resident_mb(program.pid)
        turns = [_press("Page_Down", environment, pixels, work) for _ in range(_TURNS)]
        found["next_ms_p50"] = percentile(turns, 0.5)
        back = [_press(key, environment, pixels, work) for key in ("Page_Up", "Page_Down") * (_TURNS // 2)]
        found["revisit_ms_p50"] = percentile(back, 0.5)
    return found


@contextlib.contextmanager
def _in_patience(span: str) -> Iterator[None]:
    """Skip figures of a peer that never becomes idle, to print ours anyway."""
    try:
        yield
    except TimeoutError:
        patience = f"{_START_PATIENCE_S:.0f} s after a start, {_PATIENCE_S:.0f} s after a key"
        print(f"gnome: its {span} did not come to rest within {patience}.", file=sys.stderr)


def _press(key: str, environment: Mapping[str, str], pixels: Pixels, work: Work) -> float:
    """Return the time from a key press to the last pixel change in ms, waiting if necessary."""
    before = pixels.seen()
    subprocess.run(["xdotool", "key", key], env=environment, check=True)
    pressed = time.perf_counter()
    return (pixels.last_change(before, _QUIET_S, _PATIENCE_S, work) - pressed) * 1_000


def _resident_mb(pid: int) -> float:
    """Return the resident memory of the calendar itself, without its data server."""
    names = {process.name(): process for process in psutil.Process(pid).children(recursive=True)}
    return float(names["gnome-calendar"].memory_info().rss) / 2**20


def furnish(home: Path, span: str, count: int) -> dict[str, str]:
    """Create a home folder with the posts as events of an hour, and return its environment."""
    calendar = home / ".local/share/evolution/calendar/system/calendar.ics"
    settings = home / ".config/glib-2.0/settings/keyfile"
    gtk = home / ".config/gtk-4.0/settings.ini"
    runtime = home / "run"
    for file in (calendar, settings, gtk, runtime / "any"):
        file.parent.mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o700)
    calendar.write_text("".join(_lines(count)), newline="")
    settings.write_text(_SETTINGS.format(span=span))
    gtk.write_text("[Settings]\ngtk-enable-animations=0\n")
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GSETTINGS_BACKEND": "keyfile",
        "GDK_BACKEND": "x11",
        "GSK_RENDERER": "cairo",
        "LANG": "C.UTF-8",
    }


def _lines(count: int) -> Iterator[str]:
    yield "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Kalends//Benchmark//EN\r\n"
    for one in planned(count, now_ms()):
        start = datetime.fromtimestamp(one.at / 1_000, UTC)
        times = [f"{at:%Y%m%dT%H%M%SZ}" for at in (start, start + timedelta(hours=1))]
        yield f"BEGIN:VEVENT\r\nUID:{one.number}\r\nDTSTAMP:{times[0]}\r\nDTSTART:{times[0]}\r\n"
        yield f"DTEND:{times[1]}\r\nSUMMARY:{one.headline}\r\nEND:VEVENT\r\n"
    yield "END:VCALENDAR\r\n"
