"""The first calls of docs/api.md, run as they are written there."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.ports import free_port
from tests.service.media.samples import image
from tests.service.programs import ROOT, connect, unix_only

PAGE = ROOT / "docs" / "api.md"
_PATIENCE_S = 120


def _commands() -> list[str]:
    """The blocks for a shell, in the order of the page."""
    page = PAGE.read_text("utf-8")
    guide = page[page.index("## First call in two minutes") : page.index("## Rules for all endpoints")]
    return re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder in which ``python`` is this environment's, and knows the program."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    python = bin_folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "wool.png").write_bytes(image())
    return tmp_path


def _environment(desk: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{desk / 'bin'}:{os.environ['PATH']}", "HOME": str(desk)}


@contextmanager
def _serving(desk: Path, command: str) -> Iterator[dict[str, Any]]:
    with subprocess.Popen(
        ["/bin/bash", "-c", f"exec {command.strip()} --callback-port 0"],
        cwd=desk,
        env=_environment(desk),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def _shell(desk: Path, script: str) -> list[str]:
    """What a script prints, line by line; it must not fail."""
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", script],
        cwd=desk,
        env=_environment(desk),
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@unix_only
def test_the_commands_of_the_page_do_what_it_says(desk: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed here")
    port = str(free_port())
    serve, *rest = (command.replace("8443", port) for command in _commands())
    prepare, first, upload, plan = (one.replace("curl ", "curl -sS --fail-with-body ") for one in rest)
    with _serving(desk, serve) as ready:
        assert ready["base_url"] == f"https://127.0.0.1:{port}"
        [account] = _shell(desk, f"{prepare}\necho $ACCOUNT; declare -p ACCOUNT KEY BASE CA > told")[:1]
        [usage] = _shell(desk, f". ./told\n{first}")
        assert json.loads(usage)["actions"] == {"rest.usage.get": 1}
        announced, stored = (json.loads(line) for line in _shell(desk, f". ./told\n{upload}\necho")[:2])
        assert stored["storage_path"] == announced["storage_path"]
        social = connect(desk / "kalends", account)
        [post] = _shell(desk, f". ./told\n{plan}")
        assert json.loads(post)["social_account_id"] == social
        assert json.loads(post)["status"] == "scheduled"


def test_the_page_has_no_date_that_is_over() -> None:
    years = {int(year) for year in re.findall(r"\b(20\d\d)-\d\d-\d\d", PAGE.read_text("utf-8"))}
    assert min(years) >= 2035


def test_sentences_of_limits_are_english() -> None:
    page = PAGE.read_text("utf-8")
    assert not re.search(r"\b1 (characters|items)\b(?<! to 1 characters)", page)
    assert "1 to 200 characters" in page
    assert "1 to 30 items" in page
