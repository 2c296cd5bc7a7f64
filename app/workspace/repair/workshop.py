"""Where files are looked into and copies are made: programs that are started, listened to and stopped."""

import asyncio
import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from app.children import SOURCE, child_command, helper_environment
from app.disk import replace
from app.language import tr
from app.workspace import system_words
from app.workspace.messages import Problem
from app.workspace.repair.recipe import Recipe
from app.workspace.repair.seen import Fault, Seen
from app.workspace.repair.worker import TOO_LARGE

T = TypeVar("T")
Progress = Callable[[float], None]

COMMAND: Final = child_command("app.workspace.repair.worker")
PATIENCE_S: Final = 20.0
"""How long a program may say nothing."""
_TOO_LARGE: Final = tr(
    "This file is too large for Kalends to repair. Make it smaller in another program, then add it."
)
_NOT_MADE: Final = tr("Couldn't make a copy: the file is damaged. Export it again and add the new file.")
_DISK: Final = tr("Couldn't write the copy: {why}. Free up space, then try again.")


class Workshop:
    """Looks one file after the other, and makes one copy at a time. For the event loop's thread.

    ``command`` starts a program that speaks as ``worker`` does; ``patience`` is in seconds.
    """

    def __init__(self, *, command: Sequence[str] = COMMAND, patience: float = PATIENCE_S) -> None:
        self._command = command
        self._patience = patience
        self._looking, self._making = asyncio.Semaphore(1), asyncio.Semaphore(1)

    async def look(self, files: Sequence[tuple[Path, str]]) -> list[Seen]:
        """What is inside files, given with their MIME types.

        A file that ends the program is unreadable; of one that takes too long nothing is known.
        """
        async with self._looking:
            return await self._with_program(lambda bench: [_look(bench, *file) for file in files])

    async def make(self, path: Path, target: Path, recipe: Recipe, seen: Seen, progress: Progress) -> None:
        """Writes a copy at ``target``, whose folder is there. Cancelling ends it at once, and leaves none.

        ``progress`` hears from 0 to 1 how much is done. Raises Problem, and then leaves no copy either.
        """
        loop = asyncio.get_running_loop()
        asked = {"do": "make", "recipe": recipe.to_json(), "seen": seen.to_json()}

        def heard(share: float) -> None:
            loop.call_soon_threadsafe(progress, share)

        async with self._making:
            await self._write(target, asked | {"path": str(path)}, heard)

    async def _write(self, target: Path, asked: dict[str, Any], heard: Progress) -> None:
        part = target.with_name(f".{target.name}.part")
        try:
            said = await self._with_program(lambda bench: bench.ask(asked | {"target": str(part)}, heard))
            _require_made(said)
            await asyncio.to_thread(_finish, part, target)
        finally:
            part.unlink(missing_ok=True)

    async def _with_program(self, work: "Callable[[Bench], T]") -> T:
        bench = Bench(self._command, self._patience)
        working = asyncio.ensure_future(asyncio.to_thread(_worked, bench, work))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            bench.stop()
            await asyncio.wait([working])
            raise


class Bench:
    """A program at work; it is started when something is asked, and anew when it has died. For one thread.

    ``stop`` may come from another one, at any moment.
    """

    def __init__(self, command: Sequence[str], patience: float) -> None:
        self._command, self._patience = command, patience
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._stopped = self._silent = False

    def ask(self, asked: dict[str, Any], heard: Progress = lambda _share: None) -> dict[str, Any] | None:
        """The last line of an answer; None when the program died over it, empty when it fell silent."""
        with self._turn:
            return self._answer(asked, heard)

    def _answer(self, asked: dict[str, Any], heard: Progress) -> dict[str, Any] | None:
        self._silent = False
        process = self._start()
        if process is None or process.stdin is None:
            return {}
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            while (said := self._line(process)) is not None and "share" in said:
                heard(said["share"])
        except OSError:
            said = None
        if said is None:
            self._end()
        return {} if self._silent else said

    def stop(self) -> None:
        """Ends what is asked now, and everything after it."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _tire(self) -> None:
        with self._lock:
            self._silent = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the program once nothing is asked any more, so that nothing of it is left. Blocking."""
        with self._turn:
            self._end()

    def _start(self) -> subprocess.Popen[str] | None:
        """None once nothing is wanted anymore, and where no program can be started."""
        with self._lock, contextlib.suppress(OSError):
            if self._process is None and not self._stopped:
                self._process = subprocess.Popen(  # noqa: S603  our own program
                    self._command,
                    cwd=SOURCE,
                    env=helper_environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,  # decoders say there what they think of a file
                    text=True,
                    encoding="utf-8",
                )
        return self._process

    def _line(self, process: subprocess.Popen[str]) -> dict[str, Any] | None:
        alarm = threading.Timer(self._patience, self._tire)
        alarm.daemon = True
        alarm.start()
        try:
            line = process.stdout.readline() if process.stdout else ""
            said: dict[str, Any] | None = json.loads(line) if line else None
        except ValueError:
            said = None
        finally:
            alarm.cancel()
        return said

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _finish(part: Path, target: Path) -> None:
    """Gives a copy its name once its bytes are on the disk, so that no power cut leaves half of one there."""
    with part.open("r+b") as opened:
        os.fsync(opened.fileno())
    replace(part, target)


def _worked(bench: Bench, work: Callable[[Bench], T]) -> T:
    try:
        return work(bench)
    finally:
        bench.close()


def _look(bench: Bench, path: Path, content_type: str) -> Seen:
    said = bench.ask({"do": "look", "path": str(path), "content_type": content_type})
    if said is None:
        return Seen(fault=Fault.UNREADABLE)
    return Seen.from_json(said["done"]) if "done" in said else Seen()


def _require_made(said: dict[str, Any] | None) -> None:
    said = said or {}
    if "done" in said:
        return
    if "disk" in said:
        raise Problem(_DISK.format(why=system_words.in_words(said["disk"])), kind="failed")
    raise Problem(_TOO_LARGE if said.get("fault") == TOO_LARGE else _NOT_MADE, kind="invalid")
