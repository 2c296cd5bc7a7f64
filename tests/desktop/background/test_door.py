"""A second start has the window of the first come back."""

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.desktop.door import Door, knock
from tests.desktop.running import run
from tests.workspace.opened import until


def test_a_knock_is_heard_however_long_the_folders_name_is(qapp: QApplication, tmp_path: Path) -> None:
    for data in (tmp_path, tmp_path / ("long" * 30)):
        data.mkdir(exist_ok=True)
        heard: list[bool] = []

        async def work(data: Path = data, heard: list[bool] = heard) -> None:
            door = Door(data)
            door.knocked.connect(lambda: heard.append(True))
            assert door.open()
            assert await asyncio.to_thread(knock, data)
            assert await asyncio.to_thread(knock, data)
            await until(lambda: len(heard) == 2)
            door.close()
            assert not await asyncio.to_thread(knock, data)

        run(qapp, work)


def test_the_door_of_an_app_that_was_killed_is_no_hindrance(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        dead = Door(tmp_path)
        assert dead.open()
        door = Door(tmp_path)
        assert door.open()
        assert await asyncio.to_thread(knock, tmp_path)
        door.close()
        dead.close()

    run(qapp, work)


def test_nobody_else_may_knock(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path)
        assert door.open()
        assert (tmp_path / "door").stat().st_mode & 0o077 == 0
        door.close()

    run(qapp, work)
