"""Many lives of one workspace, and what each may find of those before it."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.benchmarks.appkills.life import Life
from tests.benchmarks.service.world import Server

_LONGEST_S: Final = 1.0
_WHILE_OPENING: Final = 0.2
_OPENS_WITHIN_S: Final = 30.0

Told = list[tuple[str, dict[str, list[Any]]]]


class Storm:
    """``known`` is what was accepted of each post, and cut off are changes that may or may not be there."""

    def __init__(self, server: Server, file: Path, seed: int) -> None:
        self.known: dict[str, list[Any]] = {}
        self.accepted = 0
        self.cut_short = 0
        self._open: dict[str, list[list[Any]]] = {}
        self._server = server
        self._file = file
        self._random = Random(seed)  # noqa: S311  chooses what to try, keeps no secret
        self._lives = 0

    def live_and_die(self) -> None:
        """A life that is killed at a random moment: one in five while it opens, the others in use."""
        opening = self._random.random() < _WHILE_OPENING
        self._learn(self._run(Life.use, self._random.uniform(0.0, _LONGEST_S), opening=opening))

    def settle(self) -> tuple[int, int]:
        """Lets a life come to an end by itself; gives how many posts are lost, and how many doubled."""
        told = self._run(Life.settle, None)
        self._learn(told[:1])
        ended = dict(told)
        there = ended["there"]
        wrong = {
            text: (state, there.get(text))
            for text, state in self.known.items()
            if not _same(there.get(text), state) or not _same(ended["shown"].get(text), state)
        }
        assert not wrong, f"accepted, and not there: {dict(list(wrong.items())[:5])}"
        assert not ended["doubled"], f"made more than once: {ended['doubled']}"
        return len(wrong), len(ended["doubled"])

    def _learn(self, told: Told) -> None:
        for what, state in told:
            if what == "found":
                self._compare(state)
            elif what == "begun":
                for text, value in state.items():
                    self._open.setdefault(text, []).append(value)
            elif what == "accepted":
                self.accepted += bool(state)
                self.known.update(state)
                self._open.clear()
        self.cut_short += bool(self._open)

    def _compare(self, found: dict[str, list[Any]]) -> None:
        """What was accepted is there, unless a change that was cut off came after it."""
        for text, state in self.known.items():
            allowed = [state, *self._open.get(text, [])]
            assert any(_same(found.get(text), one) for one in allowed), (
                f"{text}: {found.get(text)}, not {allowed}"
            )
        self.known = found
        self._open.clear()

    def _run(
        self, work: Callable[[Life], None], kill_after_s: float | None, *, opening: bool = False
    ) -> Told:
        self._lives += 1
        reading, writing = os.pipe()
        random = Random(self._random.random())  # noqa: S311
        life = Life(self._server, self._file, random, f"life-{self._lives}", writing)
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be(life, work)
        os.close(writing)
        listener = _Listener(reading)
        if kill_after_s is not None:
            if not opening:
                assert listener.heard.wait(_OPENS_WITHIN_S), "a life did not open in time"
            time.sleep(kill_after_s)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        expected = signal.SIGKILL if kill_after_s is not None else 0
        assert status == expected, f"a life ended by itself with {status}"
        return listener.told()


class _Listener:
    """Hears what a life tells, until it is no more; ``heard`` is set by its first word."""

    def __init__(self, end: int) -> None:
        self.heard = threading.Event()
        self._end = end
        self._lines: list[bytes] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def told(self) -> Told:
        """Everything; a line that was cut off is none."""
        self._thread.join()
        return [json.loads(line) for line in self._lines if line.endswith(b"]\n")]

    def _read(self) -> None:
        with os.fdopen(self._end, "rb") as opened:
            for line in opened:
                self._lines.append(line)
                self.heard.set()


def _be(life: Life, work: Callable[[Life], None]) -> None:
    code = 1
    try:
        work(life)
        code = 0
    finally:
        os._exit(code)  # nothing of the parent's is cleaned up twice


def _same(one: list[Any] | None, other: list[Any]) -> bool:
    """Of a cancelled post the time says nothing; one that was never sent and cancelled need not be there."""
    if one is None:
        return bool(other[1])
    return bool(one[1] == other[1] and (one[1] or one[0] == other[0]))
