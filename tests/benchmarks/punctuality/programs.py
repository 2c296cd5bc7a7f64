"""The real programs as separate processes, and their CPU time."""

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
    """A running program, and its ready line."""

    process: psutil.Process
    ready: dict[str, Any]

    @property
    def base_url(self) -> str:
        return str(self.ready["base_url"])

    def cpu_s(self) -> float:
        """Return the CPU time used so far, in s."""
        return cpu_s(self.process.pid)


def cpu_s(pid: int) -> float:
    """Return the CPU time used by a process so far, in s."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@contextlib.contextmanager
def practice(folder: Path) -> Iterator[Program]:
    """Run the practice platforms with their state in the folder."""
    with running([sys.executable, "-m", "app.practice", "serve", "--data", str(folder)]) as program:
        yield program


@contextlib.contextmanager
def service(
    store: Sequence[str], practice_url: str, *, files: int = 0, more: Sequence[str] = ()
) -> Iterator[Program]:
    """Run the service with the practice platforms; ``store`` are the options of its database.

    ``files`` limits open files; 0 keeps the default. ``more`` are additional options.
    """
    command = [sys.executable, "-m", "app.service", "serve", *store, "--practice-url", practice_url, *more]
    limited = ["/bin/sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files else []
    with running([*limited, *command, "--callback-port", "0"]) as program:
        yield program


@contextlib.contextmanager
def worker(store: Sequence[str], practice_url: str) -> Iterator[Program]:
    """Run a worker of the service on PostgreSQL."""
    command = [sys.executable, "-m", "app.service", "worker", *store, "--practice-url", practice_url]
    with running(command) as program:
        yield program


@contextlib.contextmanager
def running(command: Sequence[str], folder: Path = _ROOT) -> Iterator[Program]:
    """Run a program that prints a ready line; ``folder`` is the checkout to run."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            line = started.stdout.readline()
            if not line:
                sys.exit(f"{' '.join(command[1:4])} did not start.")
            yield Program(psutil.Process(started.pid), json.loads(line))
        finally:
            end(started)


def end(process: "subprocess.Popen[Any]") -> None:
    """Ask a program to end, and kill it if it doesn't."""
    process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
