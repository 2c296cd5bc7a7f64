"""A separate program: a connection to the service that can be cut or lose responses.

``python -m tests.benchmarks.appkills.line HOST PORT FILE`` prints the port it listens on. The file sets its
state: ``whole``, ``cut`` (nothing passes), or ``deaf`` (requests pass, responses don't).
"""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

State = Literal["whole", "cut", "deaf"]
_LOOK_EVERY_S: Final = 0.02
_CHUNK: Final = 65_536


class Line:
    """Forwards bytes unchanged, without access to their content."""

    def __init__(self, host: str, port: int, file: Path) -> None:
        self._target = host, port
        self._file = file
        self._state = "whole"
        self._open: set[asyncio.StreamWriter] = set()

    async def run(self) -> None:
        """Forward until the parent process has ended."""
        parent = os.getppid()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()
        while os.getppid() == parent:
            await asyncio.sleep(_LOOK_EVERY_S)
            state = self._file.read_text()
            if state and state != self._state:
                self._state = state
                for writer in tuple(self._open) if state == "cut" else ():
                    writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._state == "cut":
            writer.transport.abort()
            return
        there, to_service = await asyncio.open_connection(*self._target)
        self._open |= {writer, to_service}
        with contextlib.suppress(OSError):
            await asyncio.gather(self._pass(reader, to_service), self._pass(there, writer, answers=True))
        self._open -= {writer, to_service}
        for each in (writer, to_service):
            each.close()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        try:
            while data := await reader.read(_CHUNK):
                if answers and self._state == "deaf":
                    writer.transport.abort()
                    return
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()


@contextmanager
def line(host: str, port: int, file: Path) -> Iterator[int]:
    """Run a line during the block and return its port."""
    file.write_text("whole", encoding="utf-8")
    words = [sys.executable, "-m", "tests.benchmarks.appkills.line", host, str(port), str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(Line(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])).run())
