"""The helper process: starts `app.media.worker`, sends it requests, and kills it when it hangs."""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any, Final

from app.children import SOURCE, child_command, helper_environment
from app.children.lean import was_processor_limit
from app.media.protocol import BACKGROUND, PROGRAM, Answer, Line

COMMAND: Final = child_command(PROGRAM)
BACKGROUND_COMMAND: Final = child_command(PROGRAM, BACKGROUND)
PATIENCE_S: Final = 20.0 if sys.platform == "win32" else 120.0
"""How long the program may send nothing, in s.

Except on Windows, the program limits its own CPU time, so that a busy computer isn't mistaken for a bad file.
This limit then only applies to a disk that doesn't respond.
"""
_LINE_MAX: Final = 64 * 1024
_BYTES_MAX: Final = 64 * 1024 * 1024
"""Maximum size of an answer, in bytes: a picture to display, which is never larger than a screen."""

Progress = Callable[[float], None]
"""Receives the finished share of the work, from 0 to 1."""


class HelperTrouble(Enum):
    """Why there is no answer."""

    NOT_STARTED = "not started"
    """The program can't be started, or `stop` was called."""
    SILENT = "silent"
    """It took too long."""
    DIED = "died"
    """It crashed on the file, or its answer was invalid."""


class HelperError(Exception):
    """The program gave no answer."""

    def __init__(self, trouble: HelperTrouble) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


class Helper:
    """The helper program, started on the first request, and again after a crash.

    Requests from several threads are handled one after the other. `stop` can be called at any time.
    ``command`` starts a program like `app.media.worker`; ``patience`` is in seconds.
    """

    def __init__(self, command: Sequence[str] = COMMAND, patience: float = PATIENCE_S) -> None:
        self._command, self._patience = command, patience
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = self._silent = False

    def ask(
        self,
        asked: Line,
        *,
        progress: Progress | None = None,
        read: Callable[[int, int], bytes] | None = None,
    ) -> Answer:
        """Return the answer and the bytes that follow it. Blocking.

        ``progress`` receives the finished share of the work. ``read`` returns a number of bytes of a file
        from an offset. Raises HelperError, or the errors of these functions.
        """
        with self._turn:
            process = self._running()
            try:
                self._send(process, json.dumps(asked).encode() + b"\n")
                while True:
                    answer, data = self._answer(process)
                    if progress is not None and "share" in answer:
                        progress(answer["share"])
                    elif read is not None and "read" in answer:
                        first, size = answer["read"]
                        self._send(process, read(int(first), int(size)))
                    else:
                        return answer, data
            except (OSError, ValueError, TypeError, EOFError) as error:
                self._end()
                trouble = HelperTrouble.SILENT if self._silent else HelperTrouble.DIED
                raise HelperError(trouble) from error
            except BaseException:
                self._end()
                raise

    async def ask_in_thread(self, asked: Line, **more: Any) -> Answer:
        """Call `ask` in a separate thread, because asyncio has few. Cancelling doesn't stop the work."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()

        def settle(result: Answer | BaseException) -> None:
            if answered.done():  # the caller was cancelled
                return
            if isinstance(result, BaseException):
                answered.set_exception(result)
            else:
                answered.set_result(result)

        def work() -> None:
            result: Answer | BaseException
            try:
                result = self.ask(asked, **more)
            except BaseException as error:  # noqa: BLE001  the caller gets it
                result = error
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle, result)

        threading.Thread(target=work, name="media helper", daemon=True).start()
        return await answered

    def stop(self) -> None:
        """End the current request and refuse all others."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the program after the current request, and wait for it. Blocking."""
        with self._turn:
            self._end()

    def _running(self) -> "subprocess.Popen[bytes]":
        self._silent = False
        with self._lock, contextlib.suppress(OSError):
            if self._process is None and not self._stopped:
                self._process = subprocess.Popen(  # noqa: S603  our own program
                    self._command,
                    cwd=SOURCE,
                    env=helper_environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,  # decoders print messages about the file there
                )
        if self._process is None:
            raise HelperError(HelperTrouble.NOT_STARTED)
        return self._process

    def _send(self, process: "subprocess.Popen[bytes]", data: bytes) -> None:
        if process.stdin is None:
            raise EOFError
        with self._alarm():
            process.stdin.write(data)
            process.stdin.flush()

    def _answer(self, process: "subprocess.Popen[bytes]") -> Answer:
        """Read the next line and its bytes. Raises OSError, ValueError or EOFError if they are invalid."""
        if process.stdout is None:
            raise EOFError
        with self._alarm():
            line = process.stdout.readline(_LINE_MAX)
            if not line:
                raise EOFError
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError("the answer isn't an object")  # noqa: TRY004  handled like other invalid answers
            size = answer.get("bytes", 0)
            if not 0 <= size <= _BYTES_MAX:
                raise ValueError(size)
            data = process.stdout.read(size)
        if len(data) != size:
            raise EOFError
        return answer, data

    @contextlib.contextmanager
    def _alarm(self) -> Iterator[None]:
        """Kill the program if the block takes too long."""
        alarm = threading.Timer(self._patience, self._give_up)
        alarm.daemon = True
        alarm.start()
        try:
            yield
        finally:
            alarm.cancel()

    def _give_up(self) -> None:
        with self._lock:
            self._silent = True
            if self._process is not None:
                self._process.kill()

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
            self._silent = self._silent or was_processor_limit(process.returncode)
