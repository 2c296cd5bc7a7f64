"""After the whole run: no key, token or secret stands in the clear in what the programs left behind.

Searched are the folders of every service (database, write-ahead log, everything beside them) and the logs of
the programs that tests started. The folders of the practice platforms tell which tokens there were.
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
"""What gives a secret away wherever it stands: keys, webhook secrets, signed addresses."""
_DATABASE = "service.db"
_LOG = ".log"
_PRACTICE = "practice.sqlite3"


def leaks(root: Path) -> list[str]:
    """Where a secret stands below ``root``, as ``file: the secret's beginning``."""
    files = list(_files(root))
    needles = _needles(files)
    return [
        f"{path.relative_to(root)}: {found[:14].decode('ascii', 'replace')}..."
        for path in sorted(_searched(files))
        for found in _found_in(path, needles)
    ]


def _files(root: Path) -> Iterator[Path]:
    """Every file, as far as folders do not go while they are looked through: another run may tidy up."""
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name) for name in names)


def _needles(files: Iterable[Path]) -> re.Pattern[bytes] | None:
    """Every token that a practice platform issued, also in base64."""
    tokens = [token for file in files if file.name == _PRACTICE for token in _issued(file)]
    spellings = {spelling for token in tokens for spelling in (token, base64.b64encode(token))}
    return re.compile(b"|".join(map(re.escape, sorted(spellings)))) if spellings else None


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


def _found_in(path: Path, needles: re.Pattern[bytes] | None) -> set[bytes]:
    forms = FORMS if needles is None else (*FORMS, needles)
    try:
        if not path.is_file() or not path.stat().st_size:
            return set()
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return {match.group() for form in forms for match in form.finditer(content)}
    except FileNotFoundError:
        return set()


class SecrecyPlugin:
    """Fails a session that left a secret in the clear."""

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
