"""An upgrade replaces the running program's file."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.children.replaced import ProgramFile, program_file
from tests.children.launcher import ENVIRONMENT, install, started_versions

LOOK_S = 0.02

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't replace a program that runs")


async def is_noticed(file: ProgramFile, change: Callable[[], object], within_s: float = 0.5) -> bool:
    async def story() -> bool:
        watch = asyncio.create_task(file.until_replaced())
        await asyncio.sleep(LOOK_S)
        change()
        done, _ = await asyncio.wait([watch], timeout=within_s)
        watch.cancel()
        return bool(done)

    return await story()


@pytest.fixture
def file(tmp_path: Path) -> ProgramFile:
    path = tmp_path / "kalends"
    path.write_bytes(b"old")
    return ProgramFile(path, LOOK_S)


async def test_another_file_in_its_place_is_noticed(file: ProgramFile) -> None:
    def replace() -> None:
        new = file.path.with_name("new")
        new.write_bytes(b"new")
        new.replace(file.path)

    assert await is_noticed(file, replace, within_s=10)


async def test_the_same_file_is_not(file: ProgramFile) -> None:
    assert not await is_noticed(file, file.path.read_bytes)


async def test_a_program_that_was_removed_has_no_successor(file: ProgramFile) -> None:
    assert not await is_noticed(file, file.path.unlink)


async def test_a_file_that_is_still_being_written_is_waited_for(file: ProgramFile) -> None:
    watch = asyncio.create_task(file.until_replaced())
    for size in range(20):
        file.path.write_bytes(b"x" * (size + 10))
        await asyncio.sleep(LOOK_S)
    early = watch.done()
    await asyncio.wait_for(watch, 10)
    assert early is False


def test_only_the_frozen_app_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert program_file() is None
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    found = program_file()
    assert found is not None
    assert found.path == Path(sys.executable)


def test_a_service_by_itself_goes_on_as_the_new_version(tmp_path: Path) -> None:
    program = install(tmp_path / "kalends", "old")
    serve = ("-m", "app.service", "serve", "--data", str(tmp_path / "data"), "--callback-port", "0")
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [program, *serve], env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE, stderr=log
        ) as service,
    ):
        assert service.stdout is not None
        try:
            first = json.loads(service.stdout.readline())
            install(program, "new")
            second = json.loads(service.stdout.readline())
            assert first["pid"] == second["pid"] == service.pid
            assert started_versions(program) == ["old", "new"]
            service.terminate()
            assert service.wait(30) == 0, "it ends when it is told to, without another successor"
        finally:
            service.kill()
    assert started_versions(program) == ["old", "new"]
