"""Commands of the service, in processes forked from one that has already imported it.

Importing takes nearly a second of processor time, and the tests run more than a hundred commands.
`programs.serving(..., as_users_do=True)` starts the service as users do.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 180
_IMPORTED = ("app.service.cli", "app.service.assembly", "app.service.serve")


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the service to its end.

    Raises TimeoutExpired.
    """
    with TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = _context().Process(target=_command, args=(arguments, output, errors))
        process.start()
        process.join(_PATIENCE_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, _PATIENCE_S)
        code = process.exitcode
        process.close()
        said, refused = (file.read_text("utf-8") for file in (output, errors))
        return subprocess.CompletedProcess(arguments, code, said, refused)


class Forked:
    """A command that is running, like a Popen with text in pipes.

    Args:
        arguments: Arguments of the command.
        errors: File for its standard error.
    """

    def __init__(self, arguments: Sequence[str], errors: Path) -> None:
        context = _context()
        theirs_in, ours_in = context.Pipe(duplex=False)
        ours_out, theirs_out = context.Pipe(duplex=False)
        with theirs_in, ours_in, ours_out, theirs_out:
            self.stdin = os.fdopen(os.dup(ours_in.fileno()), "w", encoding="utf-8")
            self.stdout = os.fdopen(os.dup(ours_out.fileno()), encoding="utf-8")
            streams = theirs_in, theirs_out, errors
            self._process = context.Process(target=_serve, args=(tuple(arguments), streams, dict(os.environ)))
            self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code. Raises TimeoutExpired."""
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired("a forked command", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Close its pipes, and wait until it has ended."""
        self.stdin.close()
        self.stdout.close()
        self.wait()
        self._process.close()


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context


def _command(arguments: tuple[str, ...], output: Path, errors: Path) -> None:
    for stream, file in ((1, output), (2, errors)):
        os.dup2(_opened(file), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _main(arguments)


def _serve(
    arguments: tuple[str, ...], streams: tuple[Connection, Connection, Path], environment: dict[str, str]
) -> None:
    there, back, errors = streams
    for stream, file in ((0, there.fileno()), (1, back.fileno()), (2, _opened(errors))):
        os.dup2(file, stream)
    there.close()
    back.close()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # multiprocessing has put /dev/null there
    os.environ.clear()
    os.environ.update(environment)
    _main(arguments)


def _opened(file: Path) -> int:
    return os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)


def _main(arguments: tuple[str, ...]) -> None:
    os.chdir(ROOT)
    from app.service.cli import main

    sys.exit(main(arguments))
