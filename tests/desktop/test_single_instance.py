"""A second start has the window of the first come back."""

import asyncio
import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.errands import THINGS_MAX
from app.desktop.single_instance import SingleInstance, activate, ask_to_quit, let_come_forward
from tests.desktop.running import run
from tests.workspace.opened import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes have no place in the file system")


def test_a_knock_is_heard_however_long_the_folders_name_is(qapp: QApplication, tmp_path: Path) -> None:
    for data in (tmp_path, tmp_path / ("long" * 30)):
        data.mkdir(exist_ok=True)
        heard: list[bool] = []

        async def work(data: Path = data, heard: list[bool] = heard) -> None:
            instance = SingleInstance(data)
            instance.activated.connect(lambda: heard.append(True))
            assert instance.open()
            assert await asyncio.to_thread(activate, data)
            assert await asyncio.to_thread(activate, data)
            await until(lambda: len(heard) == 2)
            instance.close()
            assert not await asyncio.to_thread(activate, data, (), 0)

        run(qapp, work)


def test_the_door_of_an_app_that_was_killed_is_no_hindrance(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        dead = SingleInstance(tmp_path)
        assert dead.open()
        instance = SingleInstance(tmp_path)
        assert instance.open()
        assert await asyncio.to_thread(activate, tmp_path)
        instance.close()
        dead.close()

    run(qapp, work)


def test_on_windows_the_second_start_lets_the_first_come_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    class User:
        def __init__(self, name: str) -> None:
            assert name == "user32"

        def AllowSetForegroundWindow(self, process: int) -> int:  # noqa: N802  the system's naming
            allowed.append(process)
            return 1

    allowed: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", User)
    let_come_forward()
    assert allowed == []
    monkeypatch.setattr(sys, "platform", "win32")
    let_come_forward()
    assert allowed == [-1]


def test_nobody_else_may_knock(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        instance = SingleInstance(tmp_path)
        assert instance.open()
        assert (tmp_path / "door").stat().st_mode & 0o077 == 0
        instance.close()

    run(qapp, work)


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime folder as a desktop session has it: short, and its owner's alone."""
    with TemporaryDirectory(prefix="run") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def far_away(folder: Path) -> Path:
    """A data folder whose path is too long for the name of a socket."""
    data = folder / ("x" * 60) / ("y" * 60)
    data.mkdir(parents=True)
    return data


def test_of_a_data_folder_far_away_it_is_where_no_other_user_gets(
    qapp: QApplication, tmp_path: Path, runtime: Path
) -> None:
    data = far_away(tmp_path)
    instance = SingleInstance(data)
    assert instance.open()
    try:
        (place,) = runtime.iterdir()
        assert place.is_socket()
    finally:
        instance.close()
    del qapp


@pytest.mark.qt_log_ignore("QStandardPaths:")
@pytest.mark.parametrize("kind", ["open to all", "a file", "not set"])
def test_without_a_runtime_folder_it_is_in_one_that_nobody_else_can_write_to(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    del qapp
    given = tmp_path / "given"
    if kind == "open to all":
        given.mkdir()
        given.chmod(0o777)
    elif kind == "a file":
        given.write_text("")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(given))
    if kind == "not set":
        monkeypatch.delenv("XDG_RUNTIME_DIR")
    instance = SingleInstance(far_away(tmp_path))
    if instance.open():
        folder = Path(instance._server.fullServerName()).parent
        instance.close()
        assert folder != given
        assert folder.stat().st_uid == os.getuid()
        assert folder.stat().st_mode & 0o077 == 0


def test_links_and_files_are_handed_over(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        handed: list[list[str]] = []
        instance = SingleInstance(tmp_path)
        instance.handed.connect(handed.append)
        assert instance.open()
        assert await asyncio.to_thread(activate, tmp_path, ["kalends://today", "/home/ines/Küste\n.jpg"])
        assert await asyncio.to_thread(activate, tmp_path)
        assert await asyncio.to_thread(activate, tmp_path, ["/a.jpg"] * 5_000)
        await until(lambda: len(handed) == 2)
        assert handed[0] == ["kalends://today", "/home/ines/Küste\n.jpg"]
        assert len(handed[1]) == THINGS_MAX + 1
        instance.close()

    run(qapp, work)


@pytest.mark.parametrize(
    "said",
    [b"open /a.jpg\n", b'{"a": 1}\n', b'["/a.jpg"', b"[" * 100_000 + b"\n", b"x" * 3_000_000, b"[1, null]\n"],
)
def test_what_is_no_list_of_texts_is_not_handed_on(qapp: QApplication, tmp_path: Path, said: bytes) -> None:
    async def work() -> None:
        handed: list[list[str]] = []
        heard: list[bool] = []
        instance = SingleInstance(tmp_path)
        instance.handed.connect(handed.append)
        instance.activated.connect(lambda: heard.append(True))
        assert instance.open()
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / "door"))
        with contextlib.suppress(ConnectionError):  # it may hang up first
            writer.write(said)
            await writer.drain()
            assert await reader.read() == b""
        writer.close()
        assert heard == [True]
        assert await asyncio.to_thread(activate, tmp_path, ["/after.jpg"])
        await until(lambda: len(handed) == 1)
        assert handed == [["/after.jpg"]]
        instance.close()

    run(qapp, work)


def test_an_app_that_does_not_listen_yet_is_waited_for(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        knocking = asyncio.create_task(asyncio.to_thread(activate, tmp_path, ["/a.jpg"]))
        await asyncio.sleep(0.3)
        handed: list[list[str]] = []
        instance = SingleInstance(tmp_path)
        instance.handed.connect(handed.append)
        assert instance.open()
        assert await knocking
        await until(lambda: handed == [["/a.jpg"]])
        instance.close()

    run(qapp, work)


def test_being_asked_to_quit_does_not_bring_the_window_back(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        seen: list[str] = []
        instance = SingleInstance(tmp_path)
        instance.quit_asked.connect(lambda: seen.append("quit"))
        instance.activated.connect(lambda: seen.append("knock"))
        instance.handed.connect(lambda _things: seen.append("things"))
        assert instance.open()
        assert await asyncio.to_thread(ask_to_quit, tmp_path)
        await until(lambda: seen == ["quit"])
        assert await asyncio.to_thread(activate, tmp_path, ['{"quit": true}'])
        await until(lambda: seen == ["quit", "knock", "things"])
        instance.close()

    run(qapp, work)
