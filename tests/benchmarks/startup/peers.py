"""Kalends, Thunderbird and GNOME Calendar, measured from outside: time to a window, and resources.

All are measured by the pixels of the same X server: ``window_ms`` is the first change, ``drawn_ms`` the last
one before the program is idle. Memory is proportional, including child processes. Thunderbird starts with an
empty profile, GNOME Calendar with the posts as events.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tests.benchmarks.calendar import gnome, unpacked
from tests.benchmarks.calendar.pixels import Pixels
from tests.benchmarks.calendar.screen import Screen
from tests.benchmarks.calendar.stage import MissingError
from tests.benchmarks.calendar.work import Work

Figures = dict[str, float]
Started = contextlib.AbstractContextManager["subprocess.Popen[bytes]"]
NAMES: Final = ("thunderbird", "gnome")
_ROOT: Final = Path(__file__).parents[3]
_QUIET_S: Final = 2.0
_PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.002


def measure(name: str, scratch: Path, screen: Screen, posts: int, rounds: int) -> Figures:
    """Return a peer's figures; 0 with a message if it isn't available."""
    try:
        start = _PEERS[name](scratch / name, screen, posts)
        return _measure(name, start, screen, rounds)
    except (MissingError, TimeoutError) as error:
        print(f"{name} cannot take part, so its figure is 0: {error}.", file=sys.stderr)
        return {name: 0.0}


def measure_ours(data: Path, screen: Screen, environment: Mapping[str, str], rounds: int) -> Figures:
    """Return our app's figures for a data folder, measured from outside like the peers."""

    @contextlib.contextmanager
    def start() -> Iterator["subprocess.Popen[bytes]"]:
        command = (sys.executable, "-m", "app", "--data", str(data))
        with subprocess.Popen(command, cwd=_ROOT, env=environment, stderr=subprocess.DEVNULL) as program:
            yield program
            program.terminate()

    return _measure("kalends", start, screen, rounds)


def _measure(name: str, start: Callable[[], Started], screen: Screen, rounds: int) -> Figures:
    """Measure starts.

    The first one creates one-time files; the next is cold if the page cache can be dropped.
    """
    if screen.picture is None:
        raise MissingError("there is no X server here whose pixels could be watched")
    pixels = Pixels(screen.picture)
    _start(start, pixels)
    cold = {f"cold_{key}": value for key, value in _start(start, pixels).items()} if drop_page_cache() else {}
    warm = [_start(start, pixels) for _ in range(rounds)]
    pixels.close()
    found = {**{key: median(one[key] for one in warm) for key in warm[0]}, **cold}
    return {f"{name}_{key}": value for key, value in found.items()}


def _start(start: Callable[[], Started], pixels: Pixels) -> Figures:
    before, began = pixels.seen(), time.perf_counter()
    with start() as program:
        while pixels.seen() == before:
            if time.perf_counter() - began > _PATIENCE_S:
                raise TimeoutError("no window appears")
            time.sleep(_POLL_S)
        window = time.perf_counter()
        drawn = max(window, pixels.last_change(before, _QUIET_S, _PATIENCE_S, Work(program.pid)))
        used = _proportional_mb(program.pid)
    _until_dark(pixels, before)
    return {"window_ms": (window - began) * 1_000, "drawn_ms": (drawn - began) * 1_000, "pss_mb": used}


def _until_dark(pixels: Pixels, before: int) -> None:
    """Wait until the window has disappeared."""
    until = time.monotonic() + _PATIENCE_S
    while pixels.seen() != before and time.monotonic() < until:
        time.sleep(_POLL_S)


def _proportional_mb(pid: int) -> float:
    program, total = psutil.Process(pid), 0
    for process in (program, *program.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().pss
    return total / 2**20


def drop_page_cache() -> bool:
    """Make the next start read everything from disk. Only works for root on Linux."""
    try:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3", encoding="utf-8")
    except OSError:
        return False
    return True


def _thunderbird(root: Path, screen: Screen, _posts: int) -> Callable[[], Started]:
    unpacked.bring(root, ("thunderbird",), "thunderbird")
    home = root / "home"
    (home / "profile").mkdir(parents=True)
    (home / "run").mkdir(mode=0o700)
    environment = {
        **screen.environment,
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "GDK_BACKEND": "x11",
        "MOZ_CRASHREPORTER_DISABLE": "1",
        "LANG": "C.UTF-8",
    }
    command = ("thunderbird", "--profile", str(home / "profile"), "-calendar")
    return lambda: unpacked.running(root, command, environment)


def _gnome(root: Path, screen: Screen, posts: int) -> Callable[[], Started]:
    unpacked.bring(root, gnome.PACKAGES, "gnome-calendar")
    environment = {**screen.environment, **gnome.furnish(root / "home", "month", posts)}
    return lambda: unpacked.running(root, ("gnome-calendar",), environment)


_PEERS: Final[dict[str, Callable[[Path, Screen, int], Callable[[], Started]]]] = {
    "thunderbird": _thunderbird,
    "gnome": _gnome,
}
PROGRAMS: Final = unpacked.PROGRAMS
