"""The frozen app and the source, measured from outside by pixels, files and processes.

``window_ms`` is the first pixel change; ``calendar_ms`` is when the middle of the window has its final
picture; ``service_ready_ms`` is when the service has written its address. Idle figures include the app, its
service and all child processes. ``idle_mb`` is their memory as if nothing else ran. ``idle_pss_mb`` depends
on other programs: the source shares its libraries with this benchmark, the frozen app doesn't.
"""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tests.benchmarks.calendar.pixels import Pixels
from tests.benchmarks.calendar.screen import Screen
from tests.benchmarks.startup.peers import drop_page_cache

Figures = dict[str, float]
_ROOT: Final = Path(__file__).parents[3]
_QUIET_S: Final = 3.0
_PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.004
_REST_S: Final = 40
"""Pause before idle figures, in s: the app frees memory every half minute."""
_IDLE_S: Final = 30


def measure(
    frozen: Path, data: Path, screen: Screen, environment: Mapping[str, str], rounds: int
) -> tuple[Figures, Figures]:
    """Return the figures of the frozen app and of the source, started in turn with the same data."""
    if screen.picture is None:
        raise SystemExit("--frozen needs Xvfb: without pixels to watch, nothing is known from outside.")
    source = (sys.executable, "-P", "-X", "utf8", "-m", "app")
    commands: Sequence[tuple[str, ...]] = ((str(frozen / "kalends"),), source)
    pixels, warm = Pixels(screen.picture), list[list[Figures]]()
    for command in commands:
        _start(command, data, environment, pixels)  # to compile files and read them once
    cold = [_cold(command, data, environment, pixels) for command in commands]
    for _ in range(rounds):
        warm.append([_start(command, data, environment, pixels) for command in commands])
    # The first run of this length with new data takes 9 MB more than later ones, frozen or from source.
    # Without this one, that would only be the frozen app's.
    _idle(source, data, environment, pixels)
    found = []
    for which, command in enumerate(commands):
        rows = [row[which] for row in warm]
        best = {f"least_{name}": min(row[name] for row in rows) for name in rows[0]}
        middle = {name: median(row[name] for row in rows) for name in rows[0]}
        found.append({**middle, **best, **cold[which], **_idle(command, data, environment, pixels)})
    pixels.close()
    return {**found[0], **_sizes(frozen)}, found[1]


def _cold(command: Sequence[str], data: Path, environment: Mapping[str, str], pixels: Pixels) -> Figures:
    if not drop_page_cache():
        return {}
    return {f"cold_{name}": ms for name, ms in _start(command, data, environment, pixels).items()}


def _start(command: Sequence[str], data: Path, environment: Mapping[str, str], pixels: Pixels) -> Figures:
    before, began = (pixels.seen(), pixels.middle()), time.perf_counter()
    with _running(command, data, environment):
        window = calendar = ready = 0.0
        shown = before[1]
        while not (ready and calendar) or time.perf_counter() - max(calendar, ready) < _QUIET_S:
            if time.perf_counter() - began > _PATIENCE_S:
                raise TimeoutError("no calendar appears, or the service doesn't start")
            if not window and pixels.seen() != before[0]:
                window = time.perf_counter()
            if (middle := pixels.middle()) != shown:
                shown, calendar = middle, time.perf_counter()
            if not ready and _announced(data):
                ready = time.perf_counter()
            time.sleep(_POLL_S)
    _until_dark(pixels, before[0])
    return {
        "window_ms": (window - began) * 1_000,
        "calendar_ms": (calendar - began) * 1_000,
        "service_ready_ms": (ready - began) * 1_000,
    }


def _idle(command: Sequence[str], data: Path, environment: Mapping[str, str], pixels: Pixels) -> Figures:
    dark = pixels.seen()
    with _running(command, data, environment) as app:
        time.sleep(_REST_S)
        family = [psutil.Process(app.pid), *psutil.Process(app.pid).children(recursive=True)]
        before, began = _seconds(family), time.perf_counter()
        time.sleep(_IDLE_S)
        used = (_seconds(family) - before) / (time.perf_counter() - began)
        own = [one.memory_full_info().pss / 2**20 for one in family]
        alone = _alone_mb(family)
    _until_dark(pixels, dark)
    return {
        "idle_cpu_percent": used * 100,
        "idle_mb": alone,
        "idle_app_pss_mb": own[0],
        "idle_pss_mb": sum(own),
    }


def _alone_mb(family: Sequence[psutil.Process]) -> float:
    """Return the memory of processes as if no other program shared pages of files with them."""
    anonymous, of_files = 0, dict[tuple[str, str, str], int]()
    for process in family:
        for place, pages in _mappings(Path(f"/proc/{process.pid}/smaps").read_text("utf-8")):
            anonymous += pages["Anonymous"]
            of_files[place] = max(of_files.get(place, 0), pages["Rss"] - pages["Anonymous"])
    return (anonymous + sum(of_files.values())) / 1024


def _mappings(smaps: str) -> Iterator[tuple[tuple[str, str, str], Mapping[str, int]]]:
    """Yield each mapping's device, inode and offset in its file, and its pages in kB by kind."""
    for mapping in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", smaps, flags=re.MULTILINE)[1:]:
        _, _, offset, device, inode, *_ = mapping.partition("\n")[0].split()
        pages = re.findall(r"^(\w+): +(\d+) kB$", mapping, flags=re.MULTILINE)
        yield (device, inode, offset), {kind: int(number) for kind, number in pages}


@contextlib.contextmanager
def _running(
    command: Sequence[str], data: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the app on a folder, and wait at the end until its service has stopped too."""
    with subprocess.Popen(
        (*command, "--data", str(data)), cwd=_ROOT, env=environment, stderr=subprocess.DEVNULL
    ) as app:
        try:
            yield app
        finally:
            family = [psutil.Process(app.pid), *psutil.Process(app.pid).children(recursive=True)]
            app.terminate()
            psutil.wait_procs(family[1:], timeout=_PATIENCE_S)


def _announced(data: Path) -> bool:
    return any(data.glob("homes/*/service/service.json"))


def _seconds(family: Sequence[psutil.Process]) -> float:
    return sum(times.user + times.system for times in (one.cpu_times() for one in family))


def _until_dark(pixels: Pixels, before: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    while pixels.seen() != before and time.monotonic() < until:
        time.sleep(_POLL_S)


def _sizes(frozen: Path) -> Figures:
    """Return sizes on disk in MB, as `du` counts, and of the .deb next to the folder, if any."""
    files = [path.lstat() for path in frozen.rglob("*")]
    disk = sum(one.st_blocks * 512 for one in files) / 1e6
    packages = sorted(frozen.parent.glob("*.deb"), key=os.path.getmtime)
    return {"disk_mb": disk} | ({"deb_mb": packages[-1].stat().st_size / 1e6} if packages else {})
