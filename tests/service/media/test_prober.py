"""The worker that has files probed: what they are is found out behind the uploads' back."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from app.database import Database, DatabaseUnreachableError, DiskFullError
from app.database.committer import Work
from app.service.media.prober import Prober
from app.service.media.stores import Place
from tests.service.media.samples import image, video
from tests.service.media.shelf import Shelf, wait_until

T = TypeVar("T")
ANSWERING = """for _ in iter(input, ''): print('{"done": {"width": 7}}', flush=True)"""


def test_a_file_is_looked_into_after_its_upload(shelf: Shelf) -> None:
    shelf.store(video(width=96, height=64), "clip.mp4", "video/mp4")
    (row,) = shelf.rows()
    assert (row["width"], row["probe_after"] is None) == (None, False)
    while shelf.service.await_(shelf.parts.prober.probe_some):
        pass

    (row,) = shelf.rows()
    assert (row["width"], row["height"], row["duration_ms"], row["probe_after"]) == (96, 64, 500, None)
    assert (row["video_codec"], row["audio_codec"], row["frame_rate"]) == ("mpeg4", "", 10.0)


def prober(shelf: Shelf, *command: str, patience_s: float = 20) -> Prober:
    return Prober(
        shelf.service.database,
        shelf.parts.store,
        shelf.service.clock,
        command=(sys.executable, "-c", *command),
        patience=timedelta(seconds=patience_s),
    )


@pytest.mark.parametrize(
    "program",
    [
        "import os; input(); os.abort()",
        "input(); print('nonsense', flush=True)",
        "input(); import time; time.sleep(60)",
        "raise SystemExit(1)",
    ],
)
def test_a_program_that_fails_over_a_file_is_ended_and_the_file_left_at_that(
    shelf: Shelf, program: str
) -> None:
    shelf.store()
    while shelf.service.await_(prober(shelf, program, patience_s=2).probe_some):
        pass

    (row,) = shelf.rows()
    assert (row["width"], row["probe_after"]) == (None, None)


def test_a_lent_file_is_given_back_in_a_thread(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleting the copy of a large file from a bucket would hold up every request."""
    steps: list[tuple[str, bool]] = []
    lent = shelf.parts.store.lent

    @contextmanager
    def noting(place: Place) -> Iterator[Path]:
        with lent(place) as file:
            steps.append(("lent", is_on_loop()))
            try:
                yield file
            finally:
                steps.append(("given back", is_on_loop()))

    shelf.store()
    monkeypatch.setattr(shelf.parts.store, "lent", noting)
    shelf.service.await_(prober(shelf, ANSWERING).probe_some)
    assert steps == [("lent", False), ("given back", False)]
    (row,) = shelf.rows()
    assert row["width"] == 7


def is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def test_two_workers_never_take_the_same_file(shelf: Shelf) -> None:
    for colour in ("red", "green", "blue"):
        shelf.store(image(colour=colour))
    worker = shelf.parts.prober
    first = shelf.service.database.write_now(lambda rows: worker._take(rows, worker._new_lease()))
    second = shelf.service.database.write_now(lambda rows: worker._take(rows, worker._new_lease()))
    assert {row["storage_path"] for row in shelf.rows()} <= {place.storage_path for place, _ in first}
    assert second == []

    shelf.service.clock.ahead = timedelta(minutes=10)  # the first worker has died
    again = shelf.service.database.write_now(lambda rows: worker._take(rows, worker._new_lease()))
    assert set(again) == set(first)


def test_a_worker_without_files_writes_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks every minute, also in a service that nobody uses."""
    writes: list[object] = []
    write = shelf.service.database.write

    async def counted(work: Work[T]) -> T:
        writes.append(work)
        return await write(work)

    monkeypatch.setattr(shelf.service.database, "write", counted)
    worker = prober(shelf, ANSWERING)
    assert not shelf.service.await_(worker.probe_some)
    assert writes == []

    shelf.store()
    writes.clear()
    assert shelf.service.await_(worker.probe_some)
    assert len(writes) == 2  # claims the file, and stores its result


def test_the_worker_wakes_for_a_file_and_ends_when_told(shelf: Shelf) -> None:
    worker = prober(shelf, ANSWERING)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    shelf.store()
    shelf.service.loop.call_soon_threadsafe(worker.notify)
    wait_until(lambda: shelf.rows()[0]["width"] == 7)
    shelf.service.await_(worker.stop)
    running.result(20)


def test_the_worker_ends_at_once_although_a_file_is_being_looked_into(shelf: Shelf) -> None:
    shelf.store()
    worker = prober(shelf, "import time; input(); time.sleep(60)")
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: worker._program is not None)
    shelf.service.await_(worker.stop)
    running.result(20)

    (row,) = shelf.rows()
    assert row["probe_after"] is not None  # left for the next start


def test_the_worker_goes_on_after_the_database_failed(shelf: Shelf) -> None:
    """Where one worker ends with an error, the whole service does."""

    class Full(Database):
        failures = 0

        async def write(self, work: Work[T]) -> T:
            if self.failures == 0:
                self.failures += 1
                raise DiskFullError("The disk is full.")
            return await shelf.service.database.write(work)

    shelf.store()
    database = Full(shelf.service.database.engine, "the store")
    answering = (sys.executable, "-c", ANSWERING)
    worker = Prober(database, shelf.parts.store, shelf.service.clock, command=answering)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: bool(database.failures))
    shelf.service.loop.call_soon_threadsafe(worker.notify)
    wait_until(lambda: shelf.rows()[0]["width"] == 7)
    shelf.service.await_(worker.stop)
    running.result(20)


@pytest.mark.parametrize("failing", [1, 2])
def test_files_are_probed_soon_after_the_answer_to_a_write_was_lost(shelf: Shelf, failing: int) -> None:
    """The first write claims files, and the second stores the first result: some wait for their lease."""

    class Lossy(Database):
        writes = 0

        async def write(self, work: Work[T]) -> T:
            self.writes += 1
            result = await shelf.service.database.write(work)
            if self.writes == failing:
                raise DatabaseUnreachableError("The server went away.")
            return result

    shelf.store(image(colour="red"))
    shelf.store(image(colour="blue"))
    database = Lossy(shelf.service.database.engine, "the store")
    answering = (sys.executable, "-c", ANSWERING)
    worker = Prober(database, shelf.parts.store, shelf.service.clock, command=answering)
    running = asyncio.run_coroutine_threadsafe(worker.run(), shelf.service.loop)
    wait_until(lambda: database.writes >= failing)
    shelf.service.loop.call_soon_threadsafe(worker.notify)
    wait_until(lambda: [row["width"] for row in shelf.rows()] == [7, 7])
    shelf.service.await_(worker.stop)
    running.result(20)
    database.close()
