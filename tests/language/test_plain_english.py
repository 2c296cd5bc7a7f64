"""Texts for users and developers are plain English, without patterns that read as translated."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from words import ROOT

from tests.language.test_catalogues import CATALOGUES, read
from tests.service import forked

_PATTERNS = {
    "say again, recreated, rebuilt": r"\banew\b",
    "name who does it": r"\b(whoever|whichever|no one)\b",
    "say who gets or logs it": r"\b(is|are) told\b|\bhears? of\b",
    "isn't a ..., there is no ...": r"(?<!there )\b(is|are) no (?!longer\b|more\b)\w+",
    "takes precedence over": r"\bgoes before\b",
    "also, in addition to": r"\bbeside(s)? (that|the)\b",
    "fixed": r"\b(mended|put right)\b",
    "publish, published": r"\b(go|goes|went) out\b|\bnot out yet\b",
    "immediately, in one request": r"\bat once\b",
    "by itself, automatically": r"\bof its own accord\b",
    "can't, isn't, doesn't: contractions": r"\b(cannot|(is|are|was|were|do|does|did|could|has|have) not)\b",
}
_MORE_PATTERNS = {
    **_PATTERNS,
    "is, is stored in": r"\bstands? (in|at|for|beside|below|above|there)\b",
    "next to": r"\bbeside\b",
    "directly": r"\bgo(es)? straight\b|\bstraight or\b",
    "how long, in s; maximum number": r"\bso (long|many|often) (the|a|it|as)\b",
    "name the subject": r"(?m)^[|\s-]*What (is|was|are|were)\b[^?\n]*[.;,]",
    "the user": r"\bpersons\b|\bwhat (a|the) person\b",
}
"""Patterns for pages that are only in English."""
_GUIDE = (ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md")))
_PAGES = (
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "app/service/openapi/guide.md",
)
_HELP = (
    ("-m", "app", "--help"),
    ("-m", "app.practice", "--help"),
    ("-m", "app.practice", "serve", "--help"),
    ("-m", "tests.benchmarks", "--help"),
    pytest.param(("-m", "tests.benchmarks", "killstorm", "--help"), marks=pytest.mark.variation),
    pytest.param(("-m", "tests.benchmarks", "startup", "--help"), marks=pytest.mark.variation),
    ("-m", "tests.conformance", "--help"),
    ("-m", "tests.simulation", "--help"),
    ("packaging/build.py", "--help"),
    ("packaging/dev.py", "--help"),
)
_OF_THE_SERVICE = (
    (),
    ("serve",),
    ("worker",),
    ("collect",),
    ("backup",),
    ("restore",),
    ("account", "create"),
    ("account", "set"),
    ("account", "password"),
    ("account", "sign-in"),
    ("key", "create"),
    ("secrets", "reset"),
)
_PACKAGES = (
    "app/children",
    "app/client",
    "app/contract",
    "app/database",
    "app/desktop/analytics",
    "app/desktop/background",
    "app/desktop/calendar",
    "app/desktop/changes.py",
    "app/desktop/charts",
    "app/desktop/connections",
    "app/desktop/drafts",
    "app/desktop/emoji",
    "app/desktop/exchange",
    "app/desktop/history",
    "app/desktop/inspector",
    "app/desktop/kit",
    "app/desktop/links.py",
    "app/desktop/media",
    "app/desktop/notices.py",
    "app/desktop/palette",
    "app/desktop/shell",
    "app/desktop/slots",
    "app/desktop/theme",
    "app/desktop/tiktok.py",
    "app/desktop/usage",
    "app/desktop/webhooks",
    "app/desktop/welcome",
    "app/disk",
    "app/language",
    "app/media",
    "app/network",
    "app/platforms",
    "app/practice",
    "app/resources",
    "app/service",
    "app/updates",
    "app/workspace/accounts",
    "app/workspace/analytics",
    "app/workspace/catalogues.py",
    "app/workspace/connections",
    "app/workspace/drafts",
    "app/workspace/editing",
    "app/workspace/exchange",
    "app/workspace/homes",
    "app/workspace/login.py",
    "app/workspace/media",
    "app/workspace/network.py",
    "app/workspace/notices",
    "app/workspace/outbox",
    "app/workspace/posts",
    "app/workspace/published.py",
    "app/workspace/repair",
    "app/workspace/search.py",
    "app/workspace/settings",
    "app/workspace/slots",
    "app/workspace/spelling.py",
    "app/workspace/store",
    "app/workspace/sync",
    "app/workspace/tiktok.py",
    "app/workspace/time",
    "app/workspace/undo.py",
    "app/workspace/usage.py",
    "app/workspace/warnings",
    "app/workspace/webhooks",
    "packaging",
    "tests/architecture",
    "tests/benchmarks",
    "tests/children",
    "tests/client",
    "tests/conformance",
    "tests/database",
    "tests/disk",
    "tests/faults",
    "tests/fuzzing",
    "tests/gallery",
    "tests/hostile",
    "tests/journeys",
    "tests/network",
    "tests/packaging",
    "tests/portability",
    "tests/practice",
    "tests/real_browser",
    "tests/real_input",
    "tests/simulation",
    "tests/updates",
)
"""Packages and modules whose docstrings and comments have been rewritten. Add others with their rewrite."""
_NOT_IN_CODE = ("can't, isn't, doesn't: contractions", "name the subject")
_CODE = re.compile(r"```.*?```|`[^`\n]*`|(?m:^ {4}\S.*$)", re.DOTALL)


def _sentences() -> Iterator[str]:
    for message in read(CATALOGUES[0]):  # which has every sentence of the code, as another test checks
        yield from message.id if isinstance(message.id, (tuple, list)) else (message.id,)


def _found(text: str, patterns: dict[str, str]) -> dict[str, list[str]]:
    """Return the matches of each pattern, with what to write instead."""
    found = {
        instead: [match[0] for match in re.finditer(pattern, text, re.IGNORECASE)]
        for instead, pattern in patterns.items()
    }
    return {instead: hits for instead, hits in found.items() if hits}


@pytest.mark.parametrize("instead", _PATTERNS)
def test_sentences_of_the_window_read_as_english(instead: str) -> None:
    pattern = re.compile(_PATTERNS[instead], re.IGNORECASE)
    assert [sentence for sentence in _sentences() if pattern.search(sentence)] == []


@pytest.mark.parametrize("page", _GUIDE, ids=lambda page: page.name)
def test_the_guide_reads_as_english(page: Path) -> None:
    assert _found(page.read_text("utf-8"), _PATTERNS) == {}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_the_pages_for_developers_read_as_english(page: Path) -> None:
    text = page.read_text("utf-8")
    if page.name == "conformance.md":
        text = text.partition("\n## ")[0]  # the rest quotes the specification
    assert _found(_CODE.sub("", text), _MORE_PATTERNS) == {}


@pytest.mark.parametrize("command", _HELP, ids=lambda command: " ".join(command[:-1]))
def test_help_reads_as_english(command: tuple[str, ...]) -> None:
    shown = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert _found(" ".join(shown.stdout.split()), _PATTERNS) == {}


@pytest.mark.parametrize("command", _OF_THE_SERVICE, ids=" ".join)
def test_help_of_the_service_reads_as_english(command: tuple[str, ...]) -> None:
    shown = forked.run(*command, "--help")
    assert shown.returncode == 0
    assert _found(" ".join(shown.stdout.split()), _PATTERNS) == {}


def _docstrings_and_comments(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(docstring))):
                yield docstring
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@pytest.mark.parametrize("package", _PACKAGES)
def test_docstrings_and_comments_read_as_english(package: str) -> None:
    patterns = {name: pattern for name, pattern in _MORE_PATTERNS.items() if name not in _NOT_IN_CODE}
    path = ROOT / package
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    found = {
        file.name: hits
        for file in files
        for text in _docstrings_and_comments(file.read_text("utf-8"))
        if (hits := _found(text, patterns))
    }
    assert found == {}
