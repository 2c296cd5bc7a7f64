"""`kalends --quit` ends the app that runs, as an installer has it do."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.children import SOURCE
from app.desktop.single_instance import quit_running

PATIENCE_S = 60


def start(data: Path, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "app", "--data", str(data), *options]
    return subprocess.Popen(command, cwd=SOURCE, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})


@contextmanager
def running(data: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with start(data) as process:
        try:
            end = time.monotonic() + PATIENCE_S
            while not (data / "app.lock").exists():
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


def test_the_running_app_quits_and_is_waited_for(tmp_path: Path) -> None:
    with running(tmp_path) as app:
        with start(tmp_path, "--quit") as asking:
            assert asking.wait(PATIENCE_S) == 0
        assert app.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("folder", ["data", "not there"])
def test_where_nothing_runs_there_is_nothing_to_do(tmp_path: Path, folder: str) -> None:
    (tmp_path / "data").mkdir()
    assert quit_running(tmp_path / folder, wait_s=0)
    assert not (tmp_path / "not there").exists()
