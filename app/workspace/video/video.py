"""A video that is watched: opened, asked for its pictures, closed. For the event loop's thread."""

import asyncio
import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from app.children import SOURCE, child_command, helper_environment
from app.language import tr
from app.workspace.messages import Problem
from app.workspace.repair.seen import Fault
from app.workspace.repair.worker import TOO_LARGE
from app.workspace.video.picture import Picture

_COMMAND: Final = child_command("app.workspace.video.worker")
_PATIENCE_S: Final = 20.0
"""How long the program may say nothing."""
_BYTES_MAX: Final = 64 * 1024 * 1024
"""Of one picture; no screen has more."""
_SENTENCES: Final = {
    Fault.NO_PICTURE.value: tr("This file contains only audio, so there is nothing to show."),
    TOO_LARGE: tr("This video is too large to play here. Open it in another program."),
    "slow": tr("This video takes too long to decode here. Open it in another program."),
    "start": tr("Couldn't start the video decoder. Restart Kalends."),
}
_DAMAGED: Final = tr("This video is damaged or has the wrong type. Export it again and add the new file.")


class Video:
    """Made by ``open``; closing it ends the program that decodes, and removes a file made for it alone.

    Attributes:
        width: In pixels, as shown; so is ``height``.
        duration_ms: How long it is; None where the file does not say.
        has_sound: Whether there is something to be heard, elsewhere.
    """

    def __init__(self, program: "_Program", told: dict[str, Any], own_file: Path | None) -> None:
        self._program, self._own_file = program, own_file
        self.width: int = told["width"]
        self.height: int = told["height"]
        self.duration_ms: int | None = told["duration_ms"]
        self.has_sound: bool = told["has_sound"]

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        own_file: Path | None = None,
        command: Sequence[str] = _COMMAND,
        patience: float = _PATIENCE_S,
    ) -> "Video":
        """Opens a file of this computer. ``own_file`` is removed in the end, also when this fails.

        ``command`` starts a program that speaks as ``worker`` does, ``patience`` is in seconds. Raises
        Problem, one sentence.
        """
        program = _Program(command, patience)
        try:
            told, _pixels = await asyncio.to_thread(program.ask, {"path": str(path)})
        except BaseException:
            program.end(own_file)
            raise
        return cls(program, told, own_file)

    async def at(self, ms: int, box: tuple[int, int]) -> Picture:
        """The picture at a moment, made to fit into ``box`` pixels. Raises Problem, one sentence."""
        told, pixels = await asyncio.to_thread(self._program.ask, {"ms": max(0, ms), "box": box})
        return Picture(
            told["ms"], told["width"], told["height"], told["stride"], pixels, is_last=told["is_last"]
        )

    def close(self) -> None:
        """Nothing more is asked; what is being decoded is given up."""
        self._program.end(self._own_file)


class _Program:
    """The program at work. ``ask`` is for threads, one after the other; ``end`` may come at any moment."""

    def __init__(self, command: Sequence[str], patience: float) -> None:
        self._command, self._patience = command, patience
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = self._is_silent = False

    def ask(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """What it answers. Blocking. Raises Problem."""
        with self._turn:
            process = self._running()
            if process is None:
                raise Problem(_SENTENCES["start"])
            alarm = threading.Timer(self._patience, self._tire)
            alarm.daemon = True
            alarm.start()
            try:
                told, pixels = _exchanged(process, asked)
            except (OSError, ValueError, EOFError):
                told, pixels = {"fault": "slow" if self._is_silent else Fault.UNREADABLE.value}, b""
            finally:
                alarm.cancel()
        if (fault := told.get("fault")) is not None:
            raise Problem(_SENTENCES.get(fault, _DAMAGED), kind="invalid")
        return told, pixels

    def end(self, own_file: Path | None) -> None:
        """Ends it; what is left of it is cleared away in a thread."""
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            if self._process is not None:
                self._process.kill()
        threading.Thread(target=self._clear_away, args=(own_file,)).start()

    def _clear_away(self, own_file: Path | None) -> None:
        with self._turn:
            if self._process is not None:
                self._process.communicate()
        if own_file is not None:
            own_file.unlink(missing_ok=True)

    def _tire(self) -> None:
        with self._lock:
            self._is_silent = True
            if self._process is not None:
                self._process.kill()

    def _running(self) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self._process is None and not self._is_over:
                try:
                    self._process = subprocess.Popen(  # noqa: S603  our own program
                        self._command,
                        cwd=SOURCE,
                        env=helper_environment(),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,  # decoders say there what they think of a file
                    )
                except OSError:
                    return None
            return self._process


def _exchanged(process: "subprocess.Popen[bytes]", asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Raises OSError, ValueError or EOFError when the program does not answer as it should."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise EOFError
    told: dict[str, Any] = json.loads(line)
    size = told.get("bytes", 0)
    if not 0 <= size <= _BYTES_MAX:
        raise ValueError(size)
    pixels = process.stdout.read(size)
    if len(pixels) != size:
        raise EOFError
    return told, pixels
