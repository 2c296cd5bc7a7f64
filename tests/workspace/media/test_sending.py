"""Every way in which an upload can end badly, over real TLS: each leaves a state with one clear next step."""

import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.client import Clocks
from app.workspace.media.upload import Upload, UploadState
from app.workspace.workspace import Workspace
from tests.workspace.media.real_line import Ill, RealLine, real_line
from tests.workspace.media.samples import video
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import QUICK, until
from tests.workspace.test_opening_rescue import no_room

MIB = 1024 * 1024
SIZE = 8 * MIB
"""More than the buffers of a connection take."""


@pytest.fixture
def line(tmp_path: Path) -> Iterator[RealLine]:
    with real_line(ModelService(HandClock()), tmp_path) as made:
        yield made


class Hands:
    """Clocks that are moved by hand; ``wall`` goes on while the computer sleeps, ``steady`` does not."""

    def __init__(self) -> None:
        self.steady = self.asleep = 0.0

    def clocks(self) -> Clocks:
        return Clocks(steady=lambda: self.steady, wall=lambda: self.steady + self.asleep)


@asynccontextmanager
async def on(line: RealLine, folder: Path, clocks: Clocks | None = None) -> AsyncIterator[Workspace]:
    workspace = await Workspace.open(
        line.client(clocks),
        folder / "workspace.db",
        name="Test",
        clock=line.service.clock,
        pace=QUICK,
    )
    try:
        yield workspace
    finally:
        await workspace.close()


class Story:
    """A workspace on the line, and one file that is queued."""

    def __init__(self, line: RealLine, workspace: Workspace, upload: Upload) -> None:
        self.line = line
        self.workspace = workspace
        self.id = upload.id
        self.told: list[Upload] = []
        workspace.media.listen(self.told.append)

    @property
    def upload(self) -> Upload:
        found = self.workspace.media.uploads.get(self.id)
        assert found is not None
        return found

    @property
    def reasons(self) -> set[str]:
        """Everything that was said of it."""
        return {one.reason for one in self.told if one.reason}

    async def until(self, state: UploadState) -> None:
        await until(lambda: self.upload.state is state, patience=30)

    async def looked_at(self, times: int) -> None:
        """Waits until it was looked that often how far it got."""
        before = len(self.told)
        await until(lambda: len(self.told) >= before + times, patience=30)

    async def stands_still(self) -> None:
        def has_stopped() -> bool:
            last = [one.sent for one in self.told[-8:]]
            return len(last) == 8 and last[0] > 0 and len(set(last)) == 1

        await until(has_stopped, patience=30)

    async def arrives(self) -> None:
        await self.until(UploadState.DONE)
        stored = [content for content in self.line.service.files.values() if content is not None]
        assert stored == [self.upload.path.read_bytes()]

    async def is_tried_again(self) -> None:
        """A person presses the button."""
        await self.workspace.media.retry(self.id)


@asynccontextmanager
async def story(
    line: RealLine, folder: Path, *ills: Ill, size: int = SIZE, clocks: Clocks | None = None
) -> AsyncIterator[Story]:
    line.ills.extend(ills)
    async with on(line, folder, clocks) as workspace:
        (upload,) = await workspace.media.add_files([video(folder, size=size)])
        yield Story(line, workspace, upload)


async def test_a_dropped_connection_begins_again_by_itself_and_then_asks(
    tmp_path: Path, line: RealLine
) -> None:
    drops = [Ill("drop", after=MIB), Ill("drop", after=3 * MIB), Ill("drop", after=MIB)]
    async with story(line, tmp_path, *drops) as it:
        await it.until(UploadState.FAILED)
        assert it.reasons == {
            "The connection was lost. The upload will restart automatically.",
            "The connection was lost. Failed after 3 attempts. Try again later.",
        }
        await it.is_tried_again()
        await it.arrives()
        assert it.upload.reason == ""


async def test_one_dropped_connection_needs_nobody(tmp_path: Path, line: RealLine) -> None:
    async with story(line, tmp_path, Ill("drop", after=3 * MIB)) as it:
        await it.arrives()
        assert it.reasons == {"The connection was lost. The upload will restart automatically."}
        assert sum(request.method == "POST" for request in line.service.requests) == 1  # the same place


@pytest.mark.parametrize("silent", [False, True], ids=["asked first", "not asked"])
async def test_for_an_expired_link_a_new_one_is_asked(
    tmp_path: Path, line: RealLine, *, silent: bool
) -> None:
    line.silent = silent
    ended = Ill(403, after=MIB if silent else 0, message="The link has expired.")

    async with story(line, tmp_path, ended) as it:
        await it.arrives()
        assert it.reasons == {"The upload link expired. The upload will restart automatically."}
        assert line.received <= SIZE + (2 * MIB if silent else 0)  # what was refused was not all sent
        assert len(line.service.files) == 1


async def test_after_sleep_a_dead_connection_is_given_up_soon(tmp_path: Path, line: RealLine) -> None:
    hands = Hands()

    async with story(line, tmp_path, Ill("stall", after=MIB), clocks=hands.clocks()) as it:
        await it.stands_still()
        hands.asleep += 3_600
        await it.looked_at(3)
        assert it.upload.state is UploadState.SENDING  # the line may have outlived it
        hands.steady += 16
        await it.arrives()
        assert it.reasons == {"The upload stalled. The upload will restart automatically."}


async def test_a_line_that_stands_still_is_given_up_after_a_minute(tmp_path: Path, line: RealLine) -> None:
    hands = Hands()

    async with story(line, tmp_path, Ill("stall", after=MIB), clocks=hands.clocks()) as it:
        await it.stands_still()
        hands.steady += 59
        await it.looked_at(3)
        assert it.upload.state is UploadState.SENDING
        hands.steady += 2
        await it.arrives()


async def test_a_service_whose_disk_is_full_says_so_and_is_tried_again_by_hand(
    tmp_path: Path, line: RealLine
) -> None:
    words = "The service's disk is full, so nothing was stored. Free some space there."
    full = [Ill(500, after=MIB, message=words) for _ in range(3)]

    async with story(line, tmp_path, *full) as it:
        await it.until(UploadState.FAILED)
        assert it.upload.reason == f"{words} Failed after 3 attempts. Try again later."
        await it.is_tried_again()
        await it.arrives()


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited there")
async def test_a_full_disk_here_delays_an_upload_and_nothing_is_sent_twice(
    tmp_path: Path, line: RealLine
) -> None:
    async with story(line, tmp_path, Ill("stall", after=MIB)) as it:
        await until(lambda: line.met == 1)
        await it.workspace.media.uploads.pause(it.id)
        await it.is_tried_again()
        with no_room(tmp_path):
            await until(lambda: any("disk is full" in reason for reason in it.reasons))
            assert any(one.is_put_off for one in it.told)
            arrived = line.received
        await it.arrives()
        assert line.received == arrived


async def test_a_quota_that_is_used_up_is_told_in_numbers(tmp_path: Path, line: RealLine) -> None:
    line.service.room, line.service.tells_usage = 10**9, True
    async with story(line, tmp_path, Ill("drop", after=MIB)) as it:
        line.service.room = 5 * MIB
        line.service.files.clear()  # and the place is gone
        await it.until(UploadState.FAILED)
        assert line.received < SIZE
        assert it.upload.reason == (
            "Not enough storage for “walk.mp4”: 8 MB needed, 5 MB left. Delete unused "
            "files, or choose smaller ones."
        )
        line.service.room = 10**9
        await it.is_tried_again()
        await it.arrives()


async def test_cancelling_frees_a_stalled_upload_at_once(tmp_path: Path, line: RealLine) -> None:
    async with story(line, tmp_path, Ill("stall", after=MIB)) as it:
        await until(lambda: line.met == 1)
        begun = time.monotonic()
        await it.workspace.media.cancel(it.id)
        taken = time.monotonic() - begun
        assert it.workspace.media.uploads.all() == []
        assert not _is_open(it.told[0].path)
        await until(lambda: line.service.files == {})
        assert taken < 10  # nobody waited for the line, which stands still until the end of the test


def _is_open(path: Path) -> bool:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        return False
    return any(_target(entry) == str(path) for entry in folder.iterdir())


def _target(entry: Path) -> str:
    try:
        return str(entry.readlink())
    except OSError:
        return ""


async def test_what_is_written_over_while_it_is_sent_is_not_kept(tmp_path: Path, line: RealLine) -> None:
    """Also by something of the same size."""

    line.ills.append(Ill("stall", after=MIB))
    async with on(line, tmp_path) as workspace:
        path = video(tmp_path, size=SIZE)
        (upload,) = await workspace.media.add_files([path])
        await until(lambda: line.met == 1)
        await workspace.media.uploads.limit.set(20 * MIB)
        it = Story(line, workspace, upload)
        await workspace.media.uploads.pause(upload.id)
        await it.is_tried_again()
        await until(lambda: it.upload.sent > 0)
        with path.open("r+b") as opened:
            opened.seek(-1, os.SEEK_END)
            opened.write(b"x")
        await it.until(UploadState.FAILED)
        assert it.upload.reason.startswith("“walk.mp4” has changed since you added it.")
        await until(lambda: line.service.files == {})
        await workspace.media.uploads.limit.set(0)
        await it.is_tried_again()
        await it.arrives()


async def test_a_file_that_vanishes_while_it_waits_says_so(tmp_path: Path, line: RealLine) -> None:
    async with story(line, tmp_path, Ill("drop", after=MIB)) as it:
        await until(lambda: line.met == 1)
        it.upload.path.unlink()
        await it.until(UploadState.FAILED)
        assert it.upload.reason == "The file was moved or deleted. Add it again."


def _bytes_out(workspace: Workspace) -> Callable[[], list[int]]:
    return lambda: [one.sent for one in workspace.media.uploads.all()]


async def test_a_limit_holds_at_once_and_is_shared_fairly_and_kept(tmp_path: Path, line: RealLine) -> None:
    async with on(line, tmp_path) as workspace:
        await workspace.media.uploads.limit.set(2 * MIB)
        files = [video(tmp_path, f"{name}.mp4", 12 * MIB) for name in "ab"]
        begun = time.monotonic()
        await workspace.media.add_files(files)
        sent = _bytes_out(workspace)
        await until(lambda: sum(sent()) > 3 * MIB, patience=60)
        passed = time.monotonic() - begun
        assert sum(sent()) <= 2 * MIB * (passed + 0.5)
        first, second = sent()
        assert abs(first - second) <= 0.2 * (first + second)
        await workspace.media.uploads.limit.set(0)
        await until(lambda: all(one.is_done for one in workspace.media.uploads.all()), patience=30)
        await workspace.media.uploads.limit.set(3 * MIB)
    async with on(line, tmp_path) as workspace:
        await until(lambda: workspace.media.uploads.limit.rate == 3 * MIB)


async def test_a_restart_finds_what_had_arrived_and_sends_it_no_more(tmp_path: Path, line: RealLine) -> None:
    """The bytes are there, and the app ended before it heard so."""

    line.service.faults.append(("PUT", "lose"))
    async with story(line, tmp_path) as it:
        await until(lambda: it.upload.reason)
        line.service.online = False
    line.service.online = True
    async with on(line, tmp_path) as workspace:
        await until(lambda: all(one.is_done for one in workspace.media.uploads.all()), patience=30)
    assert line.received == SIZE
    assert len(line.service.files) == 1
