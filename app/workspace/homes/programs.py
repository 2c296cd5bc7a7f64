"""Our own programs as child processes: starting, also ahead of the app, waiting until ready, stopping."""

import json
import logging
import subprocess
import threading
from collections import deque
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Any, Final

from app.children import SOURCE, child_command, child_environment
from app.language import tr
from app.workspace.homes.last import PROXY_FILE, LastHome
from app.workspace.messages import Problem

_STOP_PATIENCE_S = 6.0
_LOG_BYTES: Final = 1_000_000
_OLD_LOGS: Final = 3
PROXY_FROM_STDIN: Final = "--proxy-from-stdin"
"""Option of the service: it gets its proxy on stdin once it runs."""
SYSTEM_PROXY: Final = '{"proxy": {"use": "system"}, "password": ""}\n'
"""The line that a service gets while no proxy is chosen."""


def command(program: str, *arguments: str) -> list[str]:
    """Return the command line of one of our programs, for example ``command("service", "serve")``."""
    return list(child_command(f"app.{program}", *arguments))


def ask(program: str, *arguments: str) -> dict[str, Any]:
    """Run a command that prints one line of JSON, and return it. Blocking.

    Raises Problem with the program's last sentence if it fails.
    """
    done = subprocess.run(  # noqa: S603  our own program
        command(program, *arguments),
        cwd=SOURCE,
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise Problem(_last_sentence(done.stderr, program), details=done.stderr[-4_000:])
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


class Command:
    """A command that may take long, and can be stopped."""

    def __init__(self, program: str, *arguments: str) -> None:
        """Start it. Raises OSError."""
        self._name = program
        self._process = subprocess.Popen(  # noqa: S603  our own program
            command(program, *arguments),
            cwd=SOURCE,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def answer(self) -> dict[str, Any]:
        """Wait for its end, and return its line of JSON. Blocking.

        Raises ProgramEndedError with its last sentence if it fails.
        """
        out, words = self._process.communicate()
        if self._process.returncode != 0:
            raise ProgramEndedError(words, self._name, self._process.returncode)
        answer: dict[str, Any] = json.loads(out.splitlines()[-1])
        return answer

    def stop(self) -> None:
        """Kill it. Blocking."""
        self._process.kill()
        self._process.wait()


class ProgramEndedError(Problem):
    """A program ended before it was ready. The message is its own."""

    def __init__(self, words: str, program: str, exit_code: int) -> None:
        super().__init__(_last_sentence(words, program), details=words[-4_000:])
        self.exit_code = exit_code
        self.was_killed = exit_code < 0 or not words.strip()
        """Whether it was ended from outside. Windows only shows this by the missing explanation."""


class ProgramLog(RotatingFileHandler):
    """Writes a program's stderr to a file, and keeps up to three older ones."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_LOG_BYTES, backupCount=_OLD_LOGS, encoding="utf-8", delay=True)

    def add(self, line: str) -> None:
        """Append a line. If the disk is full, the line is lost; later lines are tried again."""
        self.emit(logging.makeLogRecord({"msg": line.rstrip("\n")}))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  logging's spelling
        """Drop the line and reopen the file: after a failed rotation it would stay closed."""
        del record
        stream, self.stream = self.stream, None
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.close()


class Program:
    """A child process that reports when it's ready, and ends with us."""

    def __init__(self, program: str, *arguments: str, log: Path) -> None:
        """``log`` gets the program's stderr."""
        self.name = program
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(  # noqa: S603  our own program
            command(program, *arguments, "--exit-with-parent"),
            cwd=SOURCE,
            env=child_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",  # a path can contain any bytes, and reading must continue
        )
        self._words: deque[str] = deque(maxlen=40)
        self._listener = threading.Thread(target=self._listen, name=f"{program} log", daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process.poll() is None

    def say(self, line: str) -> None:
        """Write a line to its stdin, which must fit into the pipe's buffer.

        Does nothing if the process has ended.
        """
        stdin = self._pipe(self._process.stdin)
        with suppress(OSError, ValueError):  # ended, or closed
            stdin.write(line)
            stdin.flush()

    def wait(self) -> int:
        """Block until the process ends; return its exit code."""
        return self._process.wait()

    def ready(self) -> dict[str, Any]:
        """Block until the ready line and return it.

        Raises ProgramEndedError if it doesn't come or was stopped, and ValueError if something else comes.
        """
        try:
            line = self._pipe(self._process.stdout).readline()
        except ValueError:  # `stop` has closed it
            line = ""
        if not line:
            exit_code = self._process.wait()
            self.stop()
            raise ProgramEndedError("".join(self._words), self.name, exit_code)
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            self.stop()
            raise
        return answer

    def stop(self) -> None:
        """End the child by closing its stdin, and kill it if it doesn't react. Blocking.

        Call this for a child that has already ended too, to close its pipes.
        """
        with suppress(OSError):  # of a killed child, which hasn't read everything
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(_STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._pipe(self._process.stdout).close()
        self._pipe(self._process.stderr).close()

    def _listen(self) -> None:
        """Read until the program ends, even if lines can't be written: it would block on a full pipe."""
        log = ProgramLog(self._log)
        try:
            for line in self._pipe(self._process.stderr):
                self._words.append(line)
                log.add(line)
        finally:
            with suppress(OSError):
                log.close()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        if pipe is None:
            raise RuntimeError("the child was started without this pipe")
        return pipe


def serve(name: str, folder: Path, port: int, *more: str) -> Program:
    """Start the service or the practice platforms of a home with this folder. Raises OSError."""
    options = ["--data", str(folder / name), "--port", str(port), *more]
    return Program(name, "serve", *options, log=folder / f"{name}.log")


def _last_sentence(words: str, program: str) -> str:
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return lines[-1] if lines else tr("The {program} stopped unexpectedly. Restart Kalends.", program=program)


class ServiceAhead:
    """A service that was started early. Opening its home takes it over."""

    def __init__(self, home_id: str, program: Program) -> None:
        self._home_id = home_id
        self._program: Program | None = program

    @classmethod
    def start(cls, home: LastHome | None) -> "ServiceAhead | None":
        """Start the service of a home on this computer that was open before; None without one.

        The caller holds the data folder. None also if practice platforms have to run first. If a proxy is
        chosen, the service waits until the program that takes it over sends the proxy.
        """
        if home is None or not home.is_embedded or home.practice or not home.was_open_before:
            return None
        try:
            service = serve("service", home.folder, home.service_port, PROXY_FROM_STDIN)
        except OSError:
            return None  # the usual start tries again later, and reports what is wrong
        if not (home.folder.parents[1] / PROXY_FILE).exists():
            service.say(SYSTEM_PROXY)
        return cls(home.id, service)

    def take(self, home_id: str) -> Program | None:
        """Hand the process over to its home; return None for another home."""
        if home_id != self._home_id:
            return None
        program, self._program = self._program, None
        return program

    def stop(self) -> None:
        """End the service if it wasn't taken over. Blocking."""
        program, self._program = self._program, None
        if program is not None:
            program.stop()
