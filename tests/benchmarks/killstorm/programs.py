"""Programs of ours as processes that can be killed, stopped and started again."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.killstorm.clocks import RIGHT, Clock

_ROOT: Final = Path(__file__).parents[3]
_START_S: Final = 900.0


class Program:
    """One program, which may be killed and started anew any number of times.

    Args:
        arguments: After ``python -m``.
        log: Where everything that it says on stderr is added to.
        clock: Draws the clock of its computer, at each start.
    """

    def __init__(self, arguments: Sequence[str], log: Path, clock: Callable[[], Clock] = Clock) -> None:
        self._arguments = arguments
        self._draw_clock = clock
        self.clock = RIGHT
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._told = threading.Event()
        self.ready: dict[str, Any] = {}
        self.kills = 0

    def start(self) -> None:
        """Starts it without waiting for it."""
        self._told.clear()
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
        """What it says first. Raises RuntimeError when it does not."""
        if not self._told.wait(_START_S) or not self.ready:
            raise RuntimeError(f"A program did not start: {self._log.read_text()[-2000:]}")
        return self.ready

    def kill(self) -> None:
        """``kill -9``, whatever it is doing."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self.kills += 1

    def stall(self) -> None:
        """Stops it as a machine does that is put to sleep."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Wakes it up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    @property
    def has_ended(self) -> bool:
        """It ended by itself, which it never should."""
        return self._process is not None and self._process.poll() is not None

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        with process.stdout:
            line = process.stdout.readline()
            if line and process is self._process:
                self.ready = json.loads(line)
            if process is self._process:
                self._told.set()
            for _ in process.stdout:
                pass


def command(*arguments: str) -> dict[str, Any]:
    """The line of JSON that a command of the service prints last."""
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
