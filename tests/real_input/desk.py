"""A virtual screen, with mouse and keyboard input that programs can't tell from real input."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from PIL import Image, ImageGrab

T = TypeVar("T")
Point = Sequence[int]

BROWN = (165, 42, 42)
"""Colour of the dragged images, by which they're found on the screen."""
SCREEN = (1_900, 900)
MANAGER_LEFT = 1_300
_STEPS, _STEP_S, _BEFORE_RELEASE_S = 14, 0.06, 0.3
_PATIENCE_S = 60
_PAUSE_S, _PAUSE_MOST_S = 0.05, 0.3
_ENDING_S = 10
_LOG_CHARACTERS = 3_000
NEEDED = ("Xvfb", "xdotool", "dbus-daemon")
_DATA_FOLDERS = [
    Path(one) for one in os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share").split(":")
]


def missing() -> str:
    """Return the missing programs, as a message."""
    return ", ".join(name for name in NEEDED if shutil.which(name) is None)


def no_reader() -> str:
    """Return what's missing for a screen reader's view, as a message."""
    library = "" if importlib.util.find_spec("jeepney") else "jeepney"
    services = [folder / "dbus-1/services/org.a11y.Bus.service" for folder in _DATA_FOLDERS]
    bus = "" if any(service.exists() for service in services) else "at-spi2-core"
    return ", ".join(filter(None, (library, bus)))


@dataclass
class Program:
    """A running program that answers questions, and the file with its stderr."""

    process: "subprocess.Popen[str]"
    log: Path

    def read(self) -> Any:
        """Return the next answer. Raises RuntimeError with the end of the log if the program ended."""
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline()):
            code, log = self.process.wait(_ENDING_S), self.log.read_text("utf-8", "replace")
            raise RuntimeError(f"{self.process.args!r} ended with {code}: {log[-_LOG_CHARACTERS:]}")
        return json.loads(line)

    def ask(self, *question: object) -> Any:
        """Return the answer to a question. Raises RuntimeError if the program ended."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it ended: reading says why
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        return self.read()


@dataclass
class Desk:
    """A screen with the app on it."""

    environment: dict[str, str]
    app: Program

    def ask(self, *question: object) -> Any:
        """Ask the app a question about itself."""
        return self.app.ask(*question)

    def until(self, look: Callable[[], T], *wanted: object) -> T:
        """Poll until there is a result, or the wanted one; fail on timeout."""
        end, pause = time.monotonic() + _PATIENCE_S, _PAUSE_S
        while True:
            found = look()
            if found in wanted if wanted else found:
                return found
            if time.monotonic() > end:
                raise TimeoutError(f"last seen: {found}")
            time.sleep(pause)
            pause = min(pause * 1.5, _PAUSE_MOST_S)  # a look at all elements takes time from the app

    def xdotool(self, *words: object) -> None:
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=20)

    def drag(self, start: Point, end: Point) -> None:
        """Press the left button, move onto the calendar like a hand, and release when the app has noticed."""
        with self.holding(start):
            self.move(start, end)
            self.rest(end, lambda: self.ask("held"), list(end))

    def rest(self, point: Point, look: Callable[[], T], *wanted: object) -> T:
        """Hover at a point, with small movements, until there is a result, or the wanted one."""

        def tremble() -> T:
            self.xdotool("mousemove", point[0] + 1, point[1])
            self.xdotool("mousemove", *point)
            return look()

        return self.until(tremble, *wanted)

    @contextmanager
    def holding(self, start: Point) -> Iterator[None]:
        """Hold the left button at a point during the block, and release it a moment later."""
        self.xdotool("mousemove", *start)
        time.sleep(_STEP_S)
        self.xdotool("mousedown", 1)
        try:
            yield
            time.sleep(_BEFORE_RELEASE_S)
        finally:
            self.xdotool("mouseup", 1)  # also after a failure: the next test presses it again

    def move(self, start: Point, end: Point) -> None:
        """Move the pointer like a hand."""
        for step in range(1, _STEPS + 1):
            part = [round(a + (b - a) * step / _STEPS) for a, b in zip(start, end, strict=True)]
            self.xdotool("mousemove", *part)
            time.sleep(_STEP_S)

    def keys(self, *names: str) -> None:
        """Press keys one after the other."""
        self.xdotool("key", "--delay", 30, *names)

    def picture(self) -> Image.Image:
        """Return a screenshot."""
        return ImageGrab.grab(xdisplay=self.environment["DISPLAY"]).convert("RGB")

    def brown(self) -> list[Point]:
        """Return the positions of brown images next to the app, from left to right."""
        screen = self.picture()
        return [
            (left + 12, top + 12) for left, top in _corners(screen, range(MANAGER_LEFT, SCREEN[0]), SCREEN[1])
        ]


def _corners(screen: Image.Image, columns: range, height: int) -> list[tuple[int, int]]:
    """Return the upper left corners of brown areas, from left to right."""
    taken: list[tuple[int, int]] = []
    for top in range(0, height, 4):
        for left in columns[::4]:
            near = any(abs(left - x) < 60 and abs(top - y) < 60 for x, y in taken)
            if not near and _is_brown(screen.getpixel((left, top))):
                taken.append((left, top))
    return sorted(taken)


def _is_brown(pixel: object) -> bool:
    return isinstance(pixel, tuple) and all(abs(a - b) < 12 for a, b in zip(pixel, BROWN, strict=True))


@contextmanager
def desk(
    folder: Path,
    *options: str,
    program: str = "tests.real_input.program",
    changes: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Desk]:
    """Run the screen and the app, with further options, during the block.

    ``program`` is the module to run, ``changes`` are changes to its environment.
    """
    with ExitStack() as stack:
        display = stack.enter_context(_screen())
        run = folder / "run"
        run.mkdir(mode=0o700, parents=True)
        environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "XDG_RUNTIME_DIR": str(run),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "NO_AT_BRIDGE": "0",
            "PYTHONFAULTHANDLER": "1",
            **changes,
        }
        environment.pop("WAYLAND_DISPLAY", None)
        environment["DBUS_SESSION_BUS_ADDRESS"] = stack.enter_context(_bus(environment))
        command = [sys.executable, "-m", program, str(folder), *options]
        app = stack.enter_context(_program(command, environment, folder / "app.log"))
        assert app.read() == "ready"
        yield Desk(environment, app)


@contextmanager
def reader(desk: Desk, log: Path) -> Iterator[Program]:
    """Run a screen reader that listens to the app.

    Ask it for ``cards``, ``focus``, or a ``named`` element.
    """
    command = [sys.executable, str(Path(__file__).with_name("reader.py"))]
    with _program(command, desk.environment, log) as program:
        yield program


@contextmanager
def file_source(desk: Desk, folder: Path) -> Iterator[str]:
    """Run a program next to the app for dragging the folder's files: a file manager, if there is one."""
    manager = shutil.which("pcmanfm")
    if manager is not None:
        _set_up_manager(Path(desk.environment["XDG_CONFIG_HOME"]))
        command = [manager, "--no-desktop", str(folder)]
    else:
        command = _source(*map(str, sorted(folder.iterdir())))
    with _program(command, desk.environment, folder.parent / "source.log"):
        if manager is not None:
            desk.xdotool(
                "search", "--sync", "--onlyvisible", "--class", "pcmanfm", "windowmove", MANAGER_LEFT, 0
            )
            desk.xdotool("search", "--onlyvisible", "--class", "pcmanfm", "windowsize", 560, 400)
        seen: list[Point] = []

        def lies_still() -> bool:
            before, seen[:] = list(seen), desk.brown()
            return bool(seen) and seen == before

        desk.until(lies_still)
        yield Path(command[0]).name


@contextmanager
def word_source(desk: Desk, log: Path, *things: str) -> Iterator[None]:
    """Run a program next to the app for dragging text and links, in this order."""
    with _program(_source(*things), desk.environment, log):
        desk.until(lambda: len(desk.brown()) == len(things))
        yield


@contextmanager
def drop_target(desk: Desk, log: Path) -> Iterator[Program]:
    """Run a brown window next to the app to drop files on; read the paths of each drop from it."""
    command = [sys.executable, "-m", "tests.real_input.drop_target", str(MANAGER_LEFT)]
    with _program(command, desk.environment, log) as program:
        desk.until(desk.brown)
        yield program


def _source(*things: str) -> list[str]:
    return [sys.executable, "-m", "tests.real_input.drag_source", str(MANAGER_LEFT), *things]


def _set_up_manager(config: Path) -> None:
    """Configure large thumbnails and nothing else."""
    place = config / "pcmanfm" / "default" / "pcmanfm.conf"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        "[ui]\nview_mode=icon\nside_pane_mode=hidden;places\ntoolbar=navigation;\nshow_statusbar=0\n"
    )


@contextmanager
def _screen() -> Iterator[str]:
    read, write = os.pipe()
    size = f"{SCREEN[0]}x{SCREEN[1]}x24"
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        os.close(write)
        try:
            with os.fdopen(read) as told:
                yield f":{told.readline().strip()}"
        finally:
            server.terminate()


@contextmanager
def _bus(environment: dict[str, str]) -> Iterator[str]:
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as bus:
        assert bus.stdout is not None
        try:
            yield bus.stdout.readline().strip()
        finally:
            bus.terminate()


@contextmanager
def _program(command: Sequence[str], environment: dict[str, str], log: Path) -> Iterator[Program]:
    pipe = subprocess.PIPE
    with (
        log.open("ab") as errors,
        subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=errors, text=True
        ) as program,
    ):
        try:
            yield Program(program, log)
        finally:
            program.terminate()
