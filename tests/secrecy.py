"""After the whole run: no key, token or secret is in plain text in what the programs left behind.

Searches the folders of every service (database, write-ahead log, all other files) and the logs of programs
started by tests. The practice platforms' folders contain the issued tokens.
"""

import base64
import mmap
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

FORMS = (
    re.compile(rb"stp_rest_[0-9a-f]{64}"),
    re.compile(rb"whsec_[A-Za-z0-9+/_-]{24,}"),
    re.compile(rb"[?&](?:token|signature|code|state)=[A-Za-z0-9%._~-]{16,}"),
)
"""Patterns of secrets: keys, webhook secrets, signed URLs."""
_DATABASE = "service.db"
_LOG = ".log"
_BEGINNING = 16
_RUN = re.compile(rb"[A-Za-z0-9+/=_.~-]{%d,}" % _BEGINNING)
"""Characters of a token, at least as long as its searched prefix."""
_PRACTICE = "practice.sqlite3"


def leaks(root: Path) -> list[str]:
    """Return secrets below ``root``, as ``file: prefix of the secret``."""
    files = list(_files(root))
    needles = _Needles(files)
    return [
        f"{path.relative_to(root)}: {found[:14].decode('ascii', 'replace')}..."
        for path in sorted(_searched(files))
        for found in _found_in(path, needles)
    ]


def _files(root: Path) -> Iterator[Path]:
    """Yield every file, ignoring folders that another run removes meanwhile."""
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name) for name in names)


class _Needles:
    """Every token issued by a practice platform, also in base64, for a single search."""

    def __init__(self, files: Iterable[Path]) -> None:
        tokens = [token for file in files if file.name == _PRACTICE for token in _issued(file)]
        self._by_beginning: dict[bytes, set[bytes]] = {}
        for spelling in (spelling for token in tokens for spelling in (token, base64.b64encode(token))):
            self._by_beginning.setdefault(spelling[:_BEGINNING], set()).add(spelling)

    def found_in(self, content: mmap.mmap) -> Iterator[bytes]:
        for run in _RUN.finditer(content):
            text = run.group()
            for start in range(len(text) - _BEGINNING + 1):
                for needle in self._by_beginning.get(text[start : start + _BEGINNING], ()):
                    if text.startswith(needle, start):
                        yield needle


def _issued(database: Path) -> Iterator[bytes]:
    # What tests damage on purpose has issued nothing.
    with (
        suppress(sqlite3.DatabaseError),
        closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection,
    ):
        for (token,) in connection.execute("SELECT token FROM tokens"):
            yield token.encode()


def _searched(files: Sequence[Path]) -> Iterator[Path]:
    services = {file.parent for file in files if file.name == _DATABASE}
    for file in files:
        if file.suffix == _LOG or not services.isdisjoint(file.parents):
            yield file


def _found_in(path: Path, needles: _Needles) -> set[bytes]:
    try:
        if not path.is_file() or not path.stat().st_size:
            return set()
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            formed = {match.group() for form in FORMS for match in form.finditer(content)}
            return formed | set(needles.found_in(content))
    except FileNotFoundError:
        return set()


class SecrecyPlugin:
    """Fails a session that left a secret in plain text."""

    def __init__(self) -> None:
        self._found: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        factory = getattr(session.config, "_tmp_path_factory", None)
        if factory is None or factory._basetemp is None:
            return
        self._found = leaks(factory.getbasetemp())
        if self._found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._found:
            terminalreporter.section("secrets in the clear", red=True)
            for line in self._found:
                terminalreporter.line(line)
