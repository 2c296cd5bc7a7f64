"""The real programs, each in a process of its own, and the CPU that they use."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

_ROOT = Path(__file__).parents[3]
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs, and the line with which it said that it was ready."""

    process: psutil.Process
    ready: dict[str, Any]

    @property
    def base_url(self) -> str:
        return str(self.ready["base_url"])

    def cpu_s(self) -> float:
        """Seconds of CPU used so far."""
        return cpu_s(self.process.pid)


def cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has used so far."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextlib.contextmanager
def practice(folder: Path) -> Iterator[Program]:
    """The practice platforms, with their state in the folder."""
    with _running([sys.executable, "-m", "app.practice", "serve", "--data", str(folder)]) as program:
        yield program


@contextlib.contextmanager
def service(
    store: Sequence[str], practice_url: str, *, files: int = 0, more: Sequence[str] = ()
) -> Iterator[Program]:
    """The service that publishes to the practice platforms; ``store`` says where its rows are.

    ``files`` is how many files it may have open; 0 leaves the limit as it is. ``more`` are options.
    """
    command = [sys.executable, "-m", "app.service", "serve", *store, "--practice-url", practice_url, *more]
    limited = ["/bin/sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files else []
    with _running([*limited, *command, "--callback-port", "0"]) as program:
        yield program


@contextlib.contextmanager
def _running(command: Sequence[str]) -> Iterator[Program]:
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            line = started.stdout.readline()
            if not line:
                sys.exit(f"{' '.join(command[1:4])} did not start.")
            yield Program(psutil.Process(started.pid), json.loads(line))
        finally:
            end(started)


def end(process: "subprocess.Popen[Any]") -> None:
    """Asks a program to end, and ends it when it does not listen."""
    process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
