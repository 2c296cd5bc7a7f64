"""One sweeper by itself: what it logs, what it forgets, what it does about errors, and when it stops."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from app.contract.media_kinds import KINDS
from app.database import DatabaseError
from app.service.accounts.accounts import Plan, create_account
from app.service.media import rows
from app.service.media.files import LocalMediaStore
from app.service.media.stores import Place
from app.service.media.sweep import Sweeper
from app.service.store.tables import media, swept_media
from tests.leaping import calm, leap, rests, run_still, until_still
from tests.stores import service_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MOMENT = timedelta(milliseconds=1)


class Store(LocalMediaStore):
    """A folder of files. Each look for missing files is counted, and runs ``on_look`` first."""

    looks = 0

    def on_look(self) -> None:
        """Replaced by tests."""

    def missing(self, places: Sequence[Place]) -> list[Place]:
        self.looks += 1
        self.on_look()
        return super().missing(places)


class Closet:
    """A database with one account of two days, its files, and a sweeper whose clock is set by hand."""

    def __init__(self, root: Path) -> None:
        self.now = NOW
        self.root = root / "media"
        self.database = service_store(root)
        self.account = self.database.write_now(
            lambda opened: create_account(opened, "Ines", Plan.LOCAL, NOW - 2 * DAY)
        )
        self.store = Store(self.root)
        self.sweeper = Sweeper(self.database, self.store, lambda: self.now)

    def keep(self) -> str:
        """Stores a file with its row; returns its path."""
        path = self.reserve()
        stored = rows.Stored(4, "0" * 64)
        self.database.write_now(lambda opened: rows.mark_stored(opened, Place(path), stored, self.now))
        self.leave(path)
        return path

    def reserve(self) -> str:
        """Adds the row of an upload that hasn't begun; returns its path."""
        until = self.now + HOUR

        def work(opened: Connection) -> str:
            return rows.reserve(opened, self.account, "a.png", KINDS[1], 4, now=self.now, expires_at=until)

        return self.database.write_now(work)

    def leave(self, path: str) -> Path:
        """Puts a file that is two days old at a path."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"data")
        os.utime(file, ((self.now - 2 * DAY).timestamp(),) * 2)
        return file

    def stray(self) -> Path:
        """Leaves a file that has no row."""
        return self.leave(f"{self.account}/{uuid4()}.png")

    def forget(self, path: str) -> dict[str, Any]:
        """Deletes a row and returns it."""
        named = media.c.storage_path == path

        def work(opened: Connection) -> dict[str, Any]:
            row = dict(opened.execute(select(media).where(named)).mappings().one())
            opened.execute(media.delete().where(named))
            return row

        return self.database.write_now(work)

    def put(self, *found: dict[str, Any]) -> None:
        self.database.write_now(lambda opened: opened.execute(media.insert(), list(found)))

    def remove(self, path: str) -> None:
        """Deletes a file as a user does, but leaves its bytes."""
        self.database.write_now(lambda opened: rows.remove(opened, path))

    def noted(self) -> set[str]:
        """The paths that the sweep remembers."""
        return set(self.database.read_now(lambda opened: opened.scalars(select(swept_media.c.path))))

    def stored(self) -> set[str]:
        """The paths of stored files."""
        paths = select(media.c.storage_path).where(media.c.expires_at.is_(None))
        return set(self.database.read_now(lambda opened: opened.scalars(paths)))

    def aside(self) -> set[str]:
        """The names of the files in quarantine."""
        return {place.storage_path.partition("/")[2] for place, _ in self.store.in_quarantine()}

    def sweep(self, *, later: timedelta = timedelta()) -> list[dict[str, Any]]:
        """Sweeps and returns what was logged, without the level."""
        self.now += later
        with capture_logs() as logged:
            self.sweeper.sweep()
        return [{name: entry[name] for name in entry if name != "log_level"} for entry in logged]


@pytest.fixture
def closet(tmp_path: Path) -> Iterator[Closet]:
    made = Closet(tmp_path)
    yield made
    made.database.close()


def swept(parts: int = 0, aside: int = 0, lost: int = 0) -> list[dict[str, Any]]:
    """The log of a sweep that changed something."""
    return [
        {
            "event": "media were swept",
            "parts": parts,
            "files_set_aside": aside,
            "rows_without_file": lost,
        }
    ]


def test_a_sweep_that_changes_nothing_logs_nothing(closet: Closet) -> None:
    closet.keep()

    assert closet.sweep() == []


def test_the_log_counts_parts_strays_and_lost_rows(closet: Closet) -> None:
    kept = [closet.keep() for _ in range(8)]
    closet.leave(f"{closet.account}/a.png.11111111.part")
    assert closet.sweep() == swept(parts=1)
    closet.stray()
    assert closet.sweep() == swept(aside=1)
    for path in kept[:2]:
        (closet.root / path).unlink()
    assert closet.sweep() == []
    assert closet.sweep(later=DAY) == swept(lost=2)
    assert closet.stored() == set(kept[2:])


def test_files_left_alone_are_logged_when_their_number_changes(closet: Closet) -> None:
    def logged() -> list[int]:
        return [entry["files"] for entry in closet.sweep() if "left alone" in entry["event"]]

    closet.keep()
    first = closet.stray()
    assert logged() == [1]
    assert logged() == []
    closet.stray()
    assert logged() == [2]
    first.unlink()
    assert logged() == [1]
    assert logged() == []


def test_files_that_are_no_longer_left_alone_are_logged_again_next_time(closet: Closet) -> None:
    closet.keep()
    stray = closet.stray()
    assert len(closet.sweep()) == 1
    stray.unlink()
    assert closet.sweep() == []
    closet.stray()
    assert len(closet.sweep()) == 1


def test_an_empty_store_is_logged_with_the_number_of_files_it_should_have(closet: Closet) -> None:
    closet.reserve()
    assert closet.sweep() == []
    for path in (closet.keep(), closet.keep()):
        (closet.root / path).unlink()

    for _ in range(3):
        assert closet.sweep(later=DAY) == [
            {"event": "the media store is empty although files are stored in it", "files": 2}
        ]
    assert len(closet.stored()) == 2
    closet.leave(f"{closet.account}/a.png.11111111.part")
    assert closet.sweep()[1:] == swept(parts=1)


def test_a_row_is_lost_when_its_file_has_been_missing_for_exactly_a_day(closet: Closet) -> None:
    kept, lost = closet.keep(), closet.keep()
    (closet.root / lost).unlink()
    closet.sweep()
    closet.sweep(later=DAY - MOMENT)
    assert closet.stored() == {kept, lost}
    closet.sweep(later=MOMENT)

    assert closet.stored() == {kept}


def test_a_row_that_is_lost_expires_only_once(closet: Closet) -> None:
    closet.keep()
    (closet.root / closet.keep()).unlink()
    closet.sweep()
    assert closet.sweep(later=DAY) == swept(lost=1)
    assert closet.sweep(later=DAY) == []


def test_an_account_of_exactly_a_day_has_its_strays_set_aside(closet: Closet) -> None:
    for _ in range(3):
        closet.keep()
    stray = closet.stray()
    closet.now = NOW - DAY - MOMENT
    assert closet.sweep() == []
    assert stray.exists()
    closet.now = NOW - DAY
    os.utime(stray, ((NOW - 4 * DAY).timestamp(),) * 2)
    closet.sweep()

    assert not stray.exists()


def test_a_removal_is_remembered_for_ninety_days(closet: Closet) -> None:
    closet.keep()
    path = closet.keep()
    closet.remove(path)
    closet.sweep(later=5 * DAY)
    closet.sweep(later=90 * DAY)
    assert closet.noted() == {path}
    late = closet.leave(path)
    closet.sweep()
    assert not late.exists()
    closet.sweep(later=MOMENT)

    assert closet.noted() == set()


def test_a_deleted_file_that_is_being_read_goes_with_the_next_sweep(
    closet: Closet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows deletes no file that is open."""
    closet.keep()
    first, second = closet.keep(), closet.keep()
    for path in (first, second):
        closet.remove(path)
        closet.leave(path)
    remove = closet.store.remove

    def refuse(place: Place) -> None:
        if place.storage_path == first:
            raise PermissionError(13, "Access is denied")
        remove(place)

    monkeypatch.setattr(closet.store, "remove", refuse)
    assert closet.sweep() == []
    assert [(closet.root / path).exists() for path in (first, second)] == [True, False]
    monkeypatch.undo()
    closet.sweep()
    assert not (closet.root / first).exists()


def test_a_reservation_goes_when_it_ended_more_than_a_day_ago(closet: Closet) -> None:
    path = closet.reserve()

    def rows_left() -> set[str]:
        return set(closet.database.read_now(lambda opened: opened.scalars(select(media.c.storage_path))))

    closet.sweep(later=HOUR + DAY)
    assert rows_left() == {path}
    closet.sweep(later=MOMENT)
    assert rows_left() == set()


def test_a_quarantine_that_ends_is_noted_once_and_forgotten_with_the_file(closet: Closet) -> None:
    for _ in range(3):
        closet.keep()
    stray = closet.stray()
    closet.sweep()
    closet.sweep(later=30 * DAY)
    assert closet.noted() == set()
    closet.sweep(later=DAY)
    path = f"{closet.account}/{stray.name}"
    assert (closet.noted(), closet.aside()) == ({path}, {stray.name})
    closet.sweep(later=DAY - MOMENT)
    assert (closet.noted(), closet.aside()) == ({path}, {stray.name})
    closet.sweep(later=MOMENT)
    assert (closet.noted(), closet.aside()) == (set(), set())


def test_the_end_of_a_quarantine_is_noted_by_the_name_of_the_object(
    closet: Closet, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, day = Place(f"{closet.account}/a.png", "objects/7"), (NOW - 31 * DAY).date()
    purged: list[tuple[Place, date]] = []
    monkeypatch.setattr(closet.store, "in_quarantine", lambda: iter([(place, day)]))
    monkeypatch.setattr(closet.store, "purge", lambda *found: purged.append(found))
    closet.keep()
    closet.sweep()
    assert (closet.noted(), purged) == ({"objects/7"}, [])
    closet.sweep(later=DAY)

    assert (closet.noted(), purged) == (set(), [(place, day)])


def test_forgetting_the_end_of_a_quarantine_keeps_removals(closet: Closet) -> None:
    for _ in range(3):
        closet.keep()
    removed = closet.keep()
    row = closet.forget(removed)
    closet.sweep()
    closet.sweep(later=31 * DAY)  # its end is noted
    closet.put(row)
    closet.remove(removed)
    closet.sweep()

    assert (closet.noted(), closet.aside()) == ({removed}, set())


async def test_a_stopped_sweeper_leaves_the_files_as_they_are(closet: Closet) -> None:
    for _ in range(3):
        closet.keep()
    back = closet.keep()
    row = closet.forget(back)
    closet.sweep()
    assert len(closet.aside()) == 1
    closet.put(row)
    removed = closet.keep()
    closet.remove(removed)
    stray = closet.stray()
    await closet.sweeper.stop()

    assert closet.sweep(later=2 * DAY) == []
    assert len(closet.aside()) == 1
    assert (closet.root / removed).exists()
    assert stray.exists()


def test_a_sweeper_that_is_stopped_looks_for_no_more_missing_files(closet: Closet) -> None:
    closet.keep()
    row = closet.forget(closet.keep())
    others = [
        {**row, "id": uuid4(), "storage_path": f"{closet.account}/{number:04}.png"} for number in range(1100)
    ]
    closet.put(*others)
    closet.store.on_look = lambda: asyncio.run(closet.sweeper.stop())  # type: ignore[method-assign]
    closet.sweep()

    assert closet.store.looks == 1


def test_it_sweeps_once_an_hour(closet: Closet) -> None:
    closet.keep()

    async def story() -> None:
        running = asyncio.create_task(closet.sweeper.run())
        await until_still(lambda: closet.store.looks == 1 and rests())
        leap(3599)
        await calm()
        assert closet.store.looks == 1
        leap(2)
        await until_still(lambda: closet.store.looks == 2)
        await closet.sweeper.stop()
        await running

    run_still(story())


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(5, "Input/output error"), ("the media store could not be swept", "Input/output error")),
        (DatabaseError("The disk is full."), ("media could not be swept", "DatabaseError")),
        (OperationalError("SELECT", {}, Exception()), ("media could not be swept", "OperationalError")),
    ],
)
def test_an_error_is_logged_and_the_next_sweep_runs(
    closet: Closet, error: Exception, told: tuple[str, str]
) -> None:
    closet.keep()

    def fail() -> None:
        if closet.store.looks == 1:
            raise error

    closet.store.on_look = fail  # type: ignore[method-assign]

    async def story() -> None:
        running = asyncio.create_task(closet.sweeper.run())
        await until_still(lambda: bool(logged) and rests())
        leap(3601)
        await until_still(lambda: closet.store.looks == 2)
        await closet.sweeper.stop()
        await running

    with capture_logs() as logged:
        run_still(story())
    assert [(entry["event"], entry["reason"]) for entry in logged] == [told]


@pytest.mark.logs_error("a background worker met an unexpected error")
async def test_the_sweeper_goes_on_after_a_programming_error(
    closet: Closet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sweeper, "every", timedelta(milliseconds=1))
    closet.keep()
    looks = 0

    def fail_once() -> None:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise ZeroDivisionError
        asyncio.run(closet.sweeper.stop())

    closet.store.on_look = fail_once  # type: ignore[method-assign]
    await asyncio.wait_for(closet.sweeper.run(), 20)
    assert looks == 2
