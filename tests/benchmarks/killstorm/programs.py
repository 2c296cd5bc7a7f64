"""Our programs as processes that can be killed, stalled and restarted."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.killstorm.clocks import RIGHT, Clock

_ROOT: Final = Path(__file__).parents[3]
_START_S: Final = 900.0


class Program:
    """A program that can be killed and restarted any number of times.

    Args:
        arguments: Arguments after ``python -m``.
        log: File to append its stderr to.
        clock: Draws the clock of its computer for each start.

    Attributes:
        ready: The last ready line.
        is_ready: Whether the running process has printed its ready line.
        started_at: When it was last started, on the monotonic clock.
    """

    def __init__(self, arguments: Sequence[str], log: Path, clock: Callable[[], Clock] = Clock) -> None:
        self._arguments = arguments
        self._draw_clock = clock
        self.clock = RIGHT
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.RLock()
        self._told = threading.Event()
        self.ready: dict[str, Any] = {}
        self.is_ready = False
        self.started_at = 0.0
        self.kills = 0

    def start(self) -> None:
        """Start it without waiting."""
        with self._lock:
            self._start()

    def _start(self) -> None:
        self._told.clear()
        self.is_ready = False
        self.started_at = time.monotonic()
        self.clock = clock = self._draw_clock()
        moved = [str(clock.first), str(clock.then), str(clock.set_after_s)]
        shifted = [] if clock.is_right else ["tests.benchmarks.killstorm.shifted", *moved]
        with self._log.open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *shifted, *self._arguments],
                cwd=_ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._process = process
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def wait_until_ready(self) -> dict[str, Any]:
        """Return its ready line. Raises RuntimeError if there is none."""
        if not self._told.wait(_START_S) or not self.ready:
            raise RuntimeError(f"A program did not start: {self._log.read_text()[-2000:]}")
        return self.ready

    def kill(self) -> None:
        """Kill it with ``kill -9``."""
        with self._lock:
            if self._process is not None:
                self._process.send_signal(signal.SIGKILL)
                self._process.wait()
                self._process = None
                self.kills += 1

    def stall(self) -> None:
        """Stop it, like a computer that goes to sleep."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Continue it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    @property
    def has_ended(self) -> bool:
        """Whether it has ended by itself, which is an error unless it couldn't start without a database."""
        with self._lock:
            return self._process is not None and self._process.poll() is not None

    def revive(self) -> None:
        """Start it again if it has ended by itself."""
        with self._lock:
            if self.has_ended:
                self._start()

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        with process.stdout:
            line = process.stdout.readline()
            if line and process is self._process:
                self.ready = json.loads(line)
                self.is_ready = True
            if process is self._process:
                self._told.set()
            for _ in process.stdout:
                pass


def command(*arguments: str) -> dict[str, Any]:
    """Run a command of the service and return its JSON line."""
    done = subprocess.run(
        [sys.executable, "-m", "app.service", *arguments],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
