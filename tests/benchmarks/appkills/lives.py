"""Lives of the app: forked processes that report events and are ended from outside."""

import gc
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.desktop import application as _application  # noqa: F401  import everything before forking
from app.desktop.shell import main_controller as _controller  # noqa: F401
from app.workspace.homes import visit as _visit  # noqa: F401

_TELLS_WITHIN_S: Final = 240.0
_ENDS_WITHIN_S: Final = 240.0

Told = list[tuple[str, Any]]
"""Events reported by a life: a name and its data."""


@dataclass(frozen=True, slots=True)
class End:
    """How a life ends: by a signal some time after a number of events, or by itself if ``after_s`` is None.

    Without events, the time starts with the process.
    """

    after_s: float | None = None
    by: signal.Signals = signal.SIGKILL
    after_told: int = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """The events of a life, the time of its end, and its wait for CPU until then.

    In ns, with the end by the monotonic clock.
    """

    told: Told
    at_ns: int
    waited_ns: int


def live(work: Callable[[int], int], end: End) -> Ended:
    """Fork a life that runs ``work`` with a pipe for events, and end it.

    Raises AssertionError if it ends in any other way.
    """
    reading, writing = os.pipe()
    gc.freeze()  # exclude imported objects from garbage collection in every life
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be(work, writing)
    os.close(writing)
    listener = _Listener(reading)
    at_ns, waited_ns = _end(child, listener, end)
    status = _gone(child)
    told = listener.told()
    expected = signal.SIGKILL.value if end.after_s is not None and end.by is signal.SIGKILL else 0
    wrong = [said for what, said in told if what == "wrong"]
    assert status == expected and not wrong, f"a life ended with {status}: {wrong}"  # noqa: PT018
    return Ended(told, at_ns, waited_ns)


def tell(pipe: int, what: str, said: Any = None) -> None:
    """Report an event, completely or not at all if the process is killed meanwhile."""
    left = json.dumps([what, said]).encode() + b"\n"
    while left:
        left = left[os.write(pipe, left) :]


def waited_ns(process: int | str = "self") -> int:
    """Return how long the threads of a process were ready while the machine was busy. Linux.

    Adds up the waits of all threads, because only one runs at a time.
    """
    total = 0
    for stat in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):  # the thread has ended
            total += int(stat.read_text().split()[1])
    return total


def _end(child: int, listener: "_Listener", end: End) -> tuple[int, int]:
    if end.after_s is None:
        return time.monotonic_ns(), 0
    assert listener.has_told(end.after_told), "a life did not get on in time"
    time.sleep(end.after_s)
    waited = waited_ns(child)
    at_ns = time.monotonic_ns()
    os.kill(child, end.by)
    return at_ns, waited


def _gone(child: int) -> int:
    until = time.monotonic() + _ENDS_WITHIN_S
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError("a life did not end")
        time.sleep(0.005)


class _Listener:
    """Reads the events of a life until it ends."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._lines: list[bytes] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def has_told(self, count: int) -> bool:
        """Wait for ``count`` events or the end of the life; False on timeout."""
        until = time.monotonic() + _TELLS_WITHIN_S
        while len(self._lines) < count and self._thread.is_alive():
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def told(self) -> Told:
        """Return all events, without an incomplete line."""
        self._thread.join()
        return [tuple(json.loads(line)) for line in self._lines if line.endswith(b"]\n")]

    def _read(self) -> None:
        with os.fdopen(self._end, "rb") as opened:
            for line in opened:
                self._lines.append(line)


def _be(work: Callable[[int], int], pipe: int) -> None:
    code = 1
    try:
        code = work(pipe)
    except BaseException as error:  # noqa: BLE001  reported to the parent
        tell(pipe, "wrong", repr(error))
    finally:
        os._exit(code)  # skip the parent's cleanup
