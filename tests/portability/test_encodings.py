"""Text is read and written as UTF-8: Windows would use a regional code page.

Ruff checks files (`encodings` in `packaging/setup/checks.py`). These tests check pipes of other programs, and
a real child process.
"""

import ast
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app.children import SOURCE, child_command, child_environment, helper_environment
from tests.architecture.sources import Source, sources

_STARTS = {"run", "Popen", "check_output", "check_call", "call"}
_TEXT = {"text", "universal_newlines"}
FOR_LINUX_ALONE = {"packaging/release/elf.py", "packaging/release/linux.py", "packaging/setup/libraries.py"}


def without_encoding(tree: ast.Module) -> list[int]:
    """Return lines that start a program with text output in the default encoding."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (getattr(node.func, "attr", None) or getattr(node.func, "id", None)) in _STARTS
        and {keyword.arg for keyword in node.keywords} & _TEXT
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]


@pytest.mark.parametrize("folder", ["app", "packaging"])
def test_every_pipe_of_text_names_its_encoding(folder: str) -> None:
    found = {source.name for source in sources(folder) if without_encoding(source.tree)}
    assert found - FOR_LINUX_ALONE == set()


def test_a_pipe_without_encoding_is_seen() -> None:
    assert without_encoding(ast.parse("subprocess.run(a, text=True)")) == [1]
    assert without_encoding(ast.parse("Popen(a, text=True, encoding='utf-8')")) == []


def test_every_child_is_started_by_the_one_command() -> None:
    """It runs Python in UTF-8 mode. A child started otherwise would use a regional code page."""

    def names_python(source: Source) -> bool:
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == "executable"
            and getattr(node.value, "id", "") == "sys"
            for node in ast.walk(source.tree)
        )

    found = {source.name for source in sources("app") if names_python(source)}
    assert found == {
        "app/children/__init__.py",
        "app/children/replaced.py",  # looks at the file alone
        "app/children/successor.py",  # the same process goes on as the frozen app
        "app/children/utf8.py",  # the same program in UTF-8 mode
        "app/desktop/jump_list.py",  # Windows starts it
        "app/desktop/options.py",
        "app/updates/build.py",
        "app/workspace/login.py",
    }


@pytest.mark.parametrize("environment", [child_environment, helper_environment])
def test_a_child_speaks_utf_8_whatever_the_country(
    environment: Callable[[], dict[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A command fails with a message, whose path has letters outside of ASCII and Latin-1."""
    for name in ("PYTHONUTF8", "PYTHONIOENCODING", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "POSIX")
    monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    command = child_command("app.service", "collect", "--data", str(tmp_path / "Jürgen 漢字"))
    done = subprocess.run(
        command, cwd=SOURCE, env=environment(), capture_output=True, check=False, timeout=120
    )
    assert done.returncode != 0
    assert "Jürgen 漢字" in done.stderr.decode("utf-8")


def test_this_computer_can_show_the_difference() -> None:
    """Without UTF-8 mode, a child with that locale writes something else, so the test above can fail."""
    environ = {**os.environ, "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [
        *child_command("app.service")[:1],
        "-c",
        "import json, sys; print(json.dumps(sys.stdout.encoding))",
    ]
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    assert json.loads(done.stdout).lower().replace("-", "") != "utf8"
