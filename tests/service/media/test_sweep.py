"""Sweeping: rows and files agree again, whatever was left behind; what is on its way is left alone."""

import asyncio
import os
import shutil
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, select

from app.service.media.sweep import Sweeper
from app.service.store.tables import accounts, media
from tests.service.media.samples import image
from tests.service.media.shelf import Shelf, refusal, wait_until
from tests.service.media.test_removal import planned
from tests.stores import service_store

PNG = image()
TWO_DAYS = timedelta(days=2)


@pytest.fixture
def sweep(shelf: Shelf) -> "Sweep":
    return Sweep(shelf)


class Sweep:
    """Sweeps, and leaves things behind. The account is two days old, and so is what is left."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.root = shelf.service.folder.media
        shelf.service.clock.ahead = TWO_DAYS

    def __call__(self, *, later: timedelta = timedelta()) -> None:
        self._shelf.service.clock.ahead += later
        self._shelf.parts.sweeper.sweep()

    def store(self, count: int = 1) -> list[str]:
        """Uploads files, two days before the first sweep."""
        now, self._shelf.service.clock.ahead = self._shelf.service.clock.ahead, timedelta()
        paths = [self._shelf.store(PNG) for _ in range(count)]
        self._shelf.service.clock.ahead = now
        return paths

    def leave(self, name: str, *, hours_old: float = 48) -> Path:
        """Puts a file in the account's folder that nobody knows of."""
        self._shelf.folder.mkdir(parents=True, exist_ok=True)
        file = self._shelf.folder / name
        file.write_bytes(b"left behind")
        changed = (self._shelf.service.clock() - timedelta(hours=hours_old)).timestamp()
        os.utime(file, (changed, changed))
        return file

    def forget_rows(self, *paths: str) -> list[dict[str, Any]]:
        """Takes rows out of the database, as an older copy of it would lack them; returns them."""
        named = media.c.storage_path.in_(paths)

        def work(opened: Connection) -> list[dict[str, Any]]:
            rows = [dict(row) for row in opened.execute(select(media).where(named)).mappings()]
            opened.execute(media.delete().where(named))
            return rows

        return self._shelf.service.database.write_now(work)

    def put_rows(self, rows: list[dict[str, Any]]) -> None:
        self._shelf.service.database.write_now(lambda opened: opened.execute(media.insert(), rows))

    def aside(self) -> list[str]:
        """What is in quarantine of the account, by paths in the media folder without the day."""
        found = self.root.glob(f".strays/*/{self._shelf.caller.account_id}/*")
        return sorted("/".join(file.parts[-2:]) for file in found)


def test_what_is_in_order_stays(shelf: Shelf, sweep: Sweep) -> None:
    path = shelf.store(PNG)
    open_link = shelf.announce(len(PNG))
    rows, names = shelf.rows(), shelf.names()
    sweep()

    assert (shelf.rows(), shelf.names()) == (rows, names)
    assert shelf.links.get(shelf.view_url(path)).content == PNG
    assert shelf.links.put(open_link["upload_url"], content=PNG).status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text_is_left_alone(shelf: Shelf, sweep: Sweep) -> None:
    [kept] = sweep.store()
    stray = sweep.leave(os.fsdecode(b"caf\xe9.jpg"))
    sweep()
    assert stray.exists()
    assert sweep.aside() == []
    assert [row["storage_path"] for row in shelf.rows()] == [kept]


def test_files_without_a_row_are_set_aside_for_thirty_days(shelf: Shelf, sweep: Sweep) -> None:
    kept = sweep.store(12)
    names = ("photo-00000000.png", "README", "ü \n.png")
    strays = sorted(f"{shelf.caller.account_id}/{sweep.leave(name).name}" for name in names)
    used = shelf.used_bytes()
    sweep()

    assert sorted(f"{shelf.caller.account_id}/{name}" for name in shelf.names()) == sorted(kept)
    assert sweep.aside() == strays
    assert shelf.used_bytes() == used
    sweep(later=timedelta(days=30))
    sweep(later=timedelta(days=1))  # over, as one sweep finds
    sweep(later=timedelta(hours=23.9))
    assert sweep.aside() == strays
    sweep(later=timedelta(hours=0.2))  # and another a day later
    assert sweep.aside() == []
    assert len(shelf.names()) == 12


def test_a_file_is_set_aside_when_it_is_older_than_a_day(sweep: Sweep) -> None:
    sweep.store(8)
    young, old = sweep.leave("young.png", hours_old=23.9), sweep.leave("old.png", hours_old=24.1)
    sweep()

    assert (young.exists(), old.exists()) == (True, False)


@pytest.mark.parametrize(("strays", "stay"), [(4, False), (5, True)])
def test_more_than_one_file_in_four_is_left_alone(sweep: Sweep, strays: int, stay: bool) -> None:
    """Files and rows that hardly match belong to different databases."""
    sweep.store(12)
    left = [sweep.leave(f"photo-{number}.png") for number in range(strays)]
    sweep()

    assert [file.exists() for file in left] == [stay] * strays
    assert len(sweep.aside()) == (0 if stay else strays)


def test_what_is_set_aside_already_counts_as_well(sweep: Sweep) -> None:
    """So that a database that lacks many files doesn't lose them a few a day."""
    sweep.store(12)
    for number in range(6):
        sweep.leave(f"photo-{number}.png")
        sweep(later=timedelta(days=1))

    assert len(sweep.aside()) == 4


def test_strays_of_one_account_are_not_made_few_by_the_files_of_another(
    shelf: Shelf, stranger: Shelf, sweep: Sweep
) -> None:
    for _ in range(12):
        stranger.store(PNG)
    [path] = sweep.store()
    sweep.forget_rows(path)
    sweep(later=timedelta(days=3))

    assert shelf.names() == [path.partition("/")[2]]


def test_a_new_database_sets_nothing_aside(shelf: Shelf, sweep: Sweep, tmp_path: Path) -> None:
    paths = sweep.store(12)
    stray = sweep.leave("photo-00000000.png")
    with closing(service_store(tmp_path)) as database:
        rows = shelf.service.database.read_now(lambda opened: opened.execute(select(media)).mappings().all())
        made_at = shelf.service.clock() - timedelta(hours=23.9)
        account = {"id": shelf.caller.account_id, "name": "Ines", "plan": "local", "status": "active"}

        def fill(opened: Connection) -> None:
            opened.execute(accounts.insert().values(account | {"created_at": made_at}))
            own = [dict(row) for row in rows if row["storage_path"] in paths]
            opened.execute(media.insert(), own)

        sweeper = Sweeper(database, shelf.parts.store, shelf.service.clock)
        sweeper.sweep()
        assert stray.exists()
        database.write_now(fill)
        sweeper.sweep()
        assert stray.exists()
        shelf.service.clock.ahead += timedelta(hours=0.2)
        sweeper.sweep()
        assert not stray.exists()


def test_after_a_restore_nothing_is_set_aside_and_nothing_set_aside_is_removed(
    shelf: Shelf, sweep: Sweep
) -> None:
    sweep.store(12)
    first = sweep.leave("photo-1.png")
    sweep()
    second = sweep.leave("photo-2.png")
    marker = shelf.service.folder.restored
    marker.write_text("2026-01-01T00:00:00+00:00", "ascii")
    try:
        for _ in range(3):
            sweep(later=timedelta(days=40))
    finally:
        marker.unlink()

    assert sweep.aside() == [f"{shelf.caller.account_id}/{first.name}"]
    assert second.exists()


def test_a_file_comes_out_of_quarantine_with_its_row(shelf: Shelf, sweep: Sweep) -> None:
    paths = sweep.store(12)
    rows = sweep.forget_rows(*paths[:3])
    sweep()
    assert sweep.aside() == sorted(paths[:3])
    sweep.put_rows(rows)

    assert shelf.links.get(shelf.view_url(paths[0])).content == PNG  # before any sweep
    assert shelf.content(paths[1]) == PNG
    sweep()
    assert sweep.aside() == []
    assert shelf.links.get(shelf.view_url(paths[2])).content == PNG
    assert shelf.used_bytes() == 12 * len(PNG)


def test_a_file_in_quarantine_goes_when_a_person_deletes_it(shelf: Shelf, sweep: Sweep) -> None:
    paths = sweep.store(12)
    rows = sweep.forget_rows(*paths[:2])
    sweep()
    sweep.put_rows(rows)
    assert shelf.caller.http.delete(f"/media/{paths[0]}").json()["deleted"] is True

    assert sweep.aside() == [paths[1]]


@pytest.mark.parametrize("hours", [1, 24])
def test_a_quarantine_begins_again_for_a_file_that_came_out(sweep: Sweep, hours: int) -> None:
    paths = sweep.store(12)
    rows = sweep.forget_rows(paths[0])
    sweep()
    sweep(later=timedelta(days=32))  # over, by one sweep
    sweep.put_rows(rows)
    sweep(later=timedelta(hours=hours))
    sweep.forget_rows(paths[0])
    for days in (1, 29, 1):
        sweep(later=timedelta(days=days))
        assert sweep.aside() == [paths[0]]
    sweep(later=timedelta(days=2))
    assert sweep.aside() == [paths[0]]
    sweep(later=timedelta(days=1))
    assert sweep.aside() == []


def test_quarantine_never_replaces_a_file(sweep: Sweep) -> None:
    paths = sweep.store(12)
    rows = sweep.forget_rows(paths[0])
    sweep()
    copy = sweep.leave(paths[0].partition("/")[2])
    sweep()
    assert (copy.read_bytes(), sweep.aside()) == (b"left behind", [paths[0]])
    sweep.put_rows(rows)
    sweep()

    assert (copy.read_bytes(), sweep.aside()) == (b"left behind", [paths[0]])
    assert [file.read_bytes() for file in sweep.root.glob(f".strays/*/{paths[0]}")] == [PNG]


def test_what_a_person_removed_goes_although_it_could_not_at_first(shelf: Shelf, sweep: Sweep) -> None:
    """Also where it is all that there is, and where the store was away for long."""
    [path] = sweep.store()
    away = sweep.root.with_name("unmounted")
    sweep.root.rename(away)
    try:
        assert shelf.caller.http.delete(f"/media/{path}").json()["deleted"] is True
        sweep()
        sweep(later=timedelta(days=80))
    finally:
        away.rename(sweep.root)
    assert len(shelf.names()) == 1
    sweep()

    assert shelf.names() == sweep.aside() == []


def test_a_row_without_a_file_is_lost_when_two_sweeps_a_day_apart_miss_it(shelf: Shelf, sweep: Sweep) -> None:
    kept, lost = sweep.store(2)
    file = sweep.root / lost
    file.unlink()
    sweep()
    sweep(later=timedelta(hours=23.9))
    assert shelf.used_bytes() == 2 * len(PNG)
    assert shelf.caller.http.get(f"/media/{lost}").status_code == 200
    sweep(later=timedelta(hours=0.2))

    assert shelf.used_bytes() == len(PNG)
    assert [one["storage_path"] for one in listed(shelf)] == [kept]
    refusal(shelf.caller.http.get(f"/media/{lost}"), 404)


def test_a_file_that_is_seen_in_between_begins_anew(shelf: Shelf, sweep: Sweep) -> None:
    _, path = sweep.store(2)
    file = sweep.root / path
    hidden = file.rename(sweep.root.with_name("hidden"))
    sweep()
    hidden.rename(file)
    sweep(later=timedelta(hours=20))
    file.rename(hidden)
    sweep(later=timedelta(hours=20))
    hidden.rename(file)

    assert shelf.links.get(shelf.view_url(path)).content == PNG


@pytest.mark.parametrize("days", [0, 3, 400])
def test_a_file_that_comes_back_belongs_to_its_row_again(shelf: Shelf, sweep: Sweep, days: int) -> None:
    kept, path = sweep.store(2)
    before = {row["storage_path"]: row for row in shelf.rows()}
    file = sweep.root / path
    hidden = file.rename(sweep.root.with_name("hidden"))
    for _ in range(4):
        sweep(later=timedelta(days=days / 4))
    hidden.rename(file)
    sweep()

    assert {row["storage_path"]: row for row in shelf.rows()} == before
    assert shelf.links.get(shelf.view_url(path)).content == PNG
    assert sorted(one["storage_path"] for one in listed(shelf)) == sorted([kept, path])
    assert shelf.used_bytes() == 2 * len(PNG)


def test_of_two_lost_files_the_one_that_comes_back_counts_again(shelf: Shelf, sweep: Sweep) -> None:
    _, back, lost = sweep.store(3)
    hidden = (sweep.root / back).rename(sweep.root.with_name("hidden"))
    (sweep.root / lost).unlink()
    sweep()
    sweep(later=timedelta(days=1))
    hidden.rename(sweep.root / back)
    sweep()

    assert shelf.used_bytes() == 2 * len(PNG)
    refusal(shelf.caller.http.get(f"/media/{lost}"), 404)


def test_a_person_may_delete_what_is_lost(shelf: Shelf, sweep: Sweep) -> None:
    _, path = sweep.store(2)
    file = sweep.root / path
    hidden = file.rename(sweep.root.with_name("hidden"))
    sweep()
    sweep(later=timedelta(days=1))
    assert shelf.caller.http.delete(f"/media/{path}").json()["deleted"] is True
    hidden.rename(file)
    sweep()

    assert not file.exists()
    assert sweep.aside() == []


@pytest.mark.parametrize("status", ["scheduled", "queued", "processing", "posted", "cancelled"])
def test_what_a_pending_post_needs_is_never_lost(shelf: Shelf, sweep: Sweep, status: str) -> None:
    _, path = sweep.store(2)
    planned(shelf, shelf.caller.connect("facebook"), path, status)
    (sweep.root / path).unlink()
    for _ in range(3):
        sweep(later=timedelta(days=2))

    is_pending = status not in {"posted", "cancelled"}
    assert shelf.used_bytes() == len(PNG) * (2 if is_pending else 1)


def listed(shelf: Shelf) -> list[dict[str, Any]]:
    """The stored files, as the app lists them."""
    url = f"{shelf.service.base_url}/companion/v1/media"
    files: list[dict[str, Any]] = shelf.caller.http.get(url).json()["data"]
    return files


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
    [kept] = sweep.store()
    (row,) = shelf.rows()
    names = [f"photo-{number:08x}.png" for number in range(3300)]
    others = [
        {**row, "id": uuid4(), "storage_path": f"{shelf.caller.account_id}/{name}", "size_bytes": 1}
        for name in names
    ]
    sweep.put_rows(others)
    for name in names[1100:]:
        sweep.leave(name)
    sweep()
    sweep(later=timedelta(days=1))
    assert shelf.used_bytes() == 2200 + len(PNG)
    sweep.forget_rows(*(one["storage_path"] for one in others[1100:1600]))
    sweep(later=timedelta(days=1))

    assert shelf.used_bytes() == 1700 + len(PNG)
    assert sweep.aside() == sorted(one["storage_path"] for one in others[1100:1600])
    assert kept in [row["storage_path"] for row in shelf.rows()]


@pytest.mark.parametrize(("hours_old", "stays"), [(0, True), (23.9, True), (24.1, False)])
def test_parts_go_after_a_day(sweep: Sweep, hours_old: float, stays: bool) -> None:
    part = sweep.leave("photo-00000000.png.11111111.part", hours_old=hours_old)
    sweep()

    assert part.exists() is stays


@pytest.mark.parametrize(("hours", "stays"), [(1.9, True), (25.9, True), (26.1, False)])
def test_promises_go_a_day_after_they_ended(shelf: Shelf, sweep: Sweep, hours: float, stays: bool) -> None:
    shelf.announce(len(PNG))
    shelf.service.clock.ahead += timedelta(hours=hours)
    sweep()

    assert bool(shelf.rows()) is stays


def test_an_upload_that_is_under_way_goes_on(shelf: Shelf, sweep: Sweep) -> None:
    data = PNG + b"\0" * 3_000_000
    shelf.service.clock.ahead = timedelta()
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
    links = [sweep.root / "link", sweep.root / str(uuid4())]
    for link in links:
        link.symlink_to(outside, target_is_directory=True)
    strange = sweep.root / "lost+found" / "photo-00000000.png"
    strange.parent.mkdir()
    strange.write_bytes(PNG)
    hidden = sweep.leave(".DS_Store")
    sweep(later=timedelta(days=3))
    for link in links:
        link.unlink()

    assert (outside / "precious.png").exists()
    assert strange.exists()
    assert hidden.exists()
    shutil.rmtree(strange.parent)


def test_an_account_whose_folder_was_moved_and_linked_loses_nothing(
    shelf: Shelf, stranger: Shelf, sweep: Sweep, tmp_path: Path
) -> None:
    [path] = sweep.store()
    stranger.store(PNG)
    moved = tmp_path / "moved"
    shutil.move(shelf.folder, moved)
    sweep()
    shelf.folder.symlink_to(moved, target_is_directory=True)
    sweep(later=timedelta(hours=20))
    sweep(later=timedelta(hours=20))

    assert shelf.links.get(shelf.view_url(path)).content == PNG


def test_files_below_a_link_that_were_missing_before_have_a_day_again(
    shelf: Shelf, stranger: Shelf, sweep: Sweep, tmp_path: Path
) -> None:
    [path] = sweep.store()
    stranger.store(PNG)
    moved = tmp_path / "moved"
    shutil.move(shelf.folder, moved)
    sweep()
    shelf.folder.symlink_to(moved, target_is_directory=True)
    sweep(later=timedelta(hours=20))
    shelf.folder.unlink()
    sweep(later=timedelta(hours=20))
    shelf.folder.symlink_to(moved, target_is_directory=True)

    assert shelf.links.get(shelf.view_url(path)).content == PNG


def test_the_worker_sweeps_at_the_start_and_ends_when_told(shelf: Shelf, sweep: Sweep) -> None:
    sweep.store(3)
    stray = sweep.leave("photo-00000000.png")
    worker = Sweeper(shelf.service.database, shelf.parts.store, shelf.service.clock)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: not stray.exists())
    shelf.service.await_(worker.stop)
    running.result(20)
