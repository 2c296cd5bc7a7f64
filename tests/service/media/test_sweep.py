"""Sweeping: rows and files agree again, whatever was left behind; what is on its way is left alone."""

import asyncio
import os
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from app.service.media.sweep import Sweeper
from app.service.store.tables import media
from tests.service.media.samples import image
from tests.service.media.shelf import Shelf, wait_until

PNG = image()


@pytest.fixture
def sweep(shelf: Shelf) -> "Sweep":
    return Sweep(shelf)


class Sweep:
    """Sweeps, and leaves things behind."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def __call__(self) -> None:
        self._shelf.parts.sweeper.sweep()

    def leave(self, name: str, *, hours_old: float = 0) -> Path:
        """Puts a file in the account's folder that nobody knows of."""
        self._shelf.folder.mkdir(parents=True, exist_ok=True)
        file = self._shelf.folder / name
        file.write_bytes(b"left behind")
        changed = (self._shelf.service.clock() - timedelta(hours=hours_old)).timestamp()
        os.utime(file, (changed, changed))
        return file


def test_what_is_in_order_stays(shelf: Shelf, sweep: Sweep) -> None:
    path = shelf.store(PNG)
    open_link = shelf.announce(len(PNG))
    rows, names = shelf.rows(), shelf.names()
    sweep()

    assert (shelf.rows(), shelf.names()) == (rows, names)
    assert shelf.links.get(shelf.view_url(path)).content == PNG
    assert shelf.links.put(open_link["upload_url"], content=PNG).status_code == 200


def test_files_without_a_row_go(shelf: Shelf, sweep: Sweep) -> None:
    path = shelf.store(PNG)
    for name in ("photo-00000000.png", "README", ".hidden", "ü \n.png"):
        sweep.leave(name)
    sweep()

    assert shelf.names() == [path.partition("/")[2]]


def test_rows_without_a_file_go(shelf: Shelf, sweep: Sweep) -> None:
    kept, lost = shelf.store(PNG), shelf.store(PNG)
    (shelf.service.folder.media / lost).unlink()
    assert shelf.used_bytes() == 2 * len(PNG)
    sweep()

    assert [row["storage_path"] for row in shelf.rows()] == [kept]
    assert shelf.used_bytes() == len(PNG)


def test_a_folder_that_is_not_there_costs_no_row(shelf: Shelf, sweep: Sweep) -> None:
    path = shelf.store(PNG)
    root = shelf.service.folder.media
    away = root.with_name("unmounted")
    root.rename(away)
    try:
        sweep()
        root.mkdir()
        sweep()
        root.rmdir()
    finally:
        away.rename(root)

    assert [row["storage_path"] for row in shelf.rows()] == [path]


def test_many_are_swept_like_few(shelf: Shelf, sweep: Sweep) -> None:
    kept = shelf.store(PNG)
    for number in range(1100):
        sweep.leave(f"stray-{number:08x}.png")
    (row,) = shelf.rows()
    gone = [{**row, "id": uuid4(), "storage_path": f"{kept}.{number}"} for number in range(1100)]
    shelf.service.database.write_now(lambda opened: opened.execute(media.insert(), gone))
    sweep()

    assert shelf.names() == [kept.partition("/")[2]]
    assert [row["storage_path"] for row in shelf.rows()] == [kept]


@pytest.mark.parametrize(("hours_old", "stays"), [(0, True), (23.9, True), (24.1, False)])
def test_parts_go_after_a_day(sweep: Sweep, hours_old: float, stays: bool) -> None:
    part = sweep.leave("photo-00000000.png.11111111.part", hours_old=hours_old)
    sweep()

    assert part.exists() is stays


@pytest.mark.parametrize(("hours", "stays"), [(1.9, True), (25.9, True), (26.1, False)])
def test_promises_go_a_day_after_they_ended(shelf: Shelf, sweep: Sweep, hours: float, stays: bool) -> None:
    shelf.announce(len(PNG))
    shelf.service.clock.ahead = timedelta(hours=hours)
    sweep()

    assert bool(shelf.rows()) is stays


def test_an_upload_that_is_under_way_goes_on(shelf: Shelf, sweep: Sweep) -> None:
    data = PNG + b"\0" * 3_000_000
    given = shelf.announce(len(data))
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as put:
        put.send(data[:2_000_000])
        wait_until(lambda: bool(shelf.names()))
        sweep()
        put.send(data[2_000_000:])
        assert put.status() == 200
    sweep()

    assert (shelf.service.folder.media / given["storage_path"]).read_bytes() == data


def test_what_is_no_file_of_ours_is_left_alone(shelf: Shelf, sweep: Sweep, tmp_path: Path) -> None:
    shelf.store(PNG)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.png").write_bytes(PNG)
    link = shelf.service.folder.media / "link"
    link.symlink_to(outside, target_is_directory=True)
    sweep()
    link.unlink()

    assert (outside / "precious.png").exists()


def test_the_worker_sweeps_at_the_start_and_ends_when_told(shelf: Shelf, sweep: Sweep) -> None:
    stray = sweep.leave("photo-00000000.png")
    worker = Sweeper(shelf.service.database, shelf.parts.store, shelf.service.clock)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: not stray.exists())
    shelf.service.await_(worker.stop)
    running.result(20)
