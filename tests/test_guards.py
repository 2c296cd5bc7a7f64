"""The guards in `conftest.py` work: tests that must fail run in a separate pytest."""

import os
import re
import subprocess
import sys
from pathlib import Path

import keyring
import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = """
import logging
import pytest
import structlog

def test_error():
    logging.getLogger("app.somewhere").error("lost %s", "a row")

def test_bound_structlog_error():
    structlog.get_logger().bind(post="7").error("lost")

def test_warning():
    logging.getLogger("app.somewhere").warning("slow")

@pytest.mark.logs_error("lost a row")
def test_announced():
    logging.getLogger("app.somewhere").error("lost %s", "a row")

@pytest.mark.logs_error("lost a row")
def test_announced_is_not_everything():
    logging.getLogger("app.somewhere").error("lost a file")
"""


def test_an_error_in_the_log_fails_its_test(tmp_path: Path) -> None:
    file = tmp_path / "test_examples.py"
    file.write_text(EXAMPLES, "utf-8")
    options = ["-p", "tests.conftest", "--rootdir", str(tmp_path), "-q", "-rA"]
    command = [sys.executable, "-m", "pytest", *options, str(file)]
    report = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    said = set(re.findall(r"^ERROR \S+::(\w+)", report, re.MULTILINE))
    assert said == {"test_error", "test_bound_structlog_error", "test_announced_is_not_everything"}
    assert "app.somewhere: lost a row" in report
    assert "5 passed, 3 errors" in report


def test_no_test_sees_the_home_or_the_keyring_of_a_person() -> None:
    folders = [os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")]
    assert all("kalends-" in folder and Path(folder).is_dir() for folder in folders)
    keyring.set_password("kalends", "someone", "secret")
    assert keyring.get_password("kalends", "someone") is None


@pytest.mark.parametrize(
    ("chosen", "passed"), [([], 1), (["--whole"], 2), (["-k", "another"], 1), (["::test_another"], 1)]
)
def test_a_variation_runs_in_the_whole_run_or_when_it_is_chosen(
    tmp_path: Path, chosen: list[str], passed: int
) -> None:
    lines = ["import pytest", "def test_one(): pass", "@pytest.mark.variation", "def test_another(): pass"]
    file = tmp_path / "test_forms.py"
    file.write_text("\n".join(lines))
    named = str(file) + "".join(one for one in chosen if one.startswith("::"))
    options = [one for one in chosen if not one.startswith("::")]
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", named]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert f" {passed} passed" in done.stdout, done.stdout
