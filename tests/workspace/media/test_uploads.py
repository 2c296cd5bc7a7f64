"""The queue of uploads, over a service in memory and a line that can be slow, cut and refuse."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.workspace.media.upload import Upload, UploadState
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import SlowLine, picture, video, written
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import QUICK, opened, until

MIB = 1024 * 1024


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@asynccontextmanager
async def on_a_slow_line(folder: Path, line: SlowLine) -> AsyncIterator[Workspace]:
    workspace = await Workspace.open(
        line.client(), folder / "workspace.db", name="Test", clock=line.service.clock, pace=QUICK
    )
    try:
        yield workspace
    finally:
        await workspace.close()


def now_of(workspace: Workspace, upload: Upload) -> Upload:
    found = workspace.media.uploads.get(upload.id)
    assert found is not None
    return found


async def until_done(workspace: Workspace, upload: Upload) -> Upload:
    await until(lambda: now_of(workspace, upload).is_done)
    return now_of(workspace, upload)


async def until_failed(workspace: Workspace, upload: Upload) -> Upload:
    await until(lambda: now_of(workspace, upload).is_failed)
    return now_of(workspace, upload)


def puts(service: ModelService) -> int:
    return sum(request.method == "PUT" for request in service.requests)


def test_a_file_arrives_and_is_in_the_catalogue(tmp_path: Path, service: ModelService) -> None:
    path = picture(tmp_path)

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([path])
            done = await until_done(workspace, upload)
            assert service.files == {done.storage_path: path.read_bytes()}
            (known,) = await workspace.media.catalogue()
            assert (known.storage_path, known.name, known.size_bytes) == (
                done.storage_path,
                "coat.jpg",
                path.stat().st_size,
            )
            assert (known.width, known.height) == (1_000, 1_000)
            assert any(changes.catalogues for changes in workspace.heard)

    asyncio.run(work())


def test_progress_is_told_while_bytes_go_out(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        line = SlowLine(service)
        async with on_a_slow_line(tmp_path, line) as workspace:
            told: list[Upload] = []
            workspace.media.listen(told.append)
            (upload,) = await workspace.media.add_files([video(tmp_path, size=3 * MIB)])
            await until(lambda: line.uploads == 1)
            assert now_of(workspace, upload).state is UploadState.SENDING
            await asyncio.sleep(0.15)  # news of bytes come ten times a second
            line.go.set()
            done = await until_done(workspace, upload)
            shares = [one.share for one in told]
            assert shares == sorted(shares)
            assert any(0 < share < 1 for share in shares)
            assert done.share == 1.0
            assert [one.state for one in told][:2] == [UploadState.WAITING, UploadState.SENDING]

    asyncio.run(work())


def test_two_at_a_time_and_in_their_order(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        line = SlowLine(service)
        async with on_a_slow_line(tmp_path, line) as workspace:
            files = [video(tmp_path, f"{number}.mp4") for number in range(5)]
            added = await workspace.media.add_files(files)
            await until(lambda: line.uploads == 2)
            states = [now_of(workspace, upload).state for upload in added]
            assert states == [UploadState.SENDING] * 2 + [UploadState.WAITING] * 3
            line.go.set()
            for upload in added:
                await until_done(workspace, upload)
            assert len(service.files) == 5

    asyncio.run(work())


def test_a_restart_in_the_middle_begins_again_and_leaves_one_file(
    tmp_path: Path, service: ModelService
) -> None:
    path = video(tmp_path, size=2 * MIB)

    async def before() -> str:
        line = SlowLine(service)
        async with on_a_slow_line(tmp_path, line) as workspace:
            (upload,) = await workspace.media.add_files([path])
            await until(lambda: line.uploads == 1)
            return upload.id

    async def after(upload_id: str) -> None:
        async with opened(tmp_path, service) as workspace:
            found = workspace.media.uploads.get(upload_id)
            assert found is not None
            assert not found.is_done
            done = await until_done(workspace, found)
            assert service.files == {done.storage_path: path.read_bytes()}

    upload_id = asyncio.run(before())
    assert list(service.files.values()) == [None]  # a place, and nothing in it
    asyncio.run(after(upload_id))


def test_what_is_done_stays_done_after_a_restart(tmp_path: Path, service: ModelService) -> None:
    async def before() -> Upload:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            return await until_done(workspace, upload)

    async def after(done: Upload) -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            found = now_of(workspace, done)
            assert (found.is_done, found.storage_path) == (True, done.storage_path)
            assert puts(service) == 1

    asyncio.run(after(asyncio.run(before())))


def test_without_a_network_it_waits_and_then_goes(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            service.online = False
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: now_of(workspace, upload).reason)
            assert now_of(workspace, upload).state is UploadState.WAITING
            assert "cannot be reached" in now_of(workspace, upload).reason
            service.online = True
            assert (await until_done(workspace, upload)).reason == ""

    asyncio.run(work())


@pytest.mark.parametrize(("kind", "sent"), [("timeout", 2), ("500", 2), ("429", 2), ("lose", 1)])
def test_a_broken_upload_begins_again_at_the_same_place_unless_it_arrived(
    tmp_path: Path, service: ModelService, kind: str, sent: int
) -> None:
    service.faults.append(("PUT", kind))

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until_done(workspace, upload)
            assert len(service.files) == 1
            assert puts(service) == sent

    asyncio.run(work())


def test_a_full_store_is_said_before_a_byte_goes_out(tmp_path: Path, service: ModelService) -> None:
    service.room = 10

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            failed = await until_failed(workspace, upload)
            assert "The storage is full" in failed.reason
            assert puts(service) == 0
            service.room = 10**9
            await workspace.media.retry(upload.id)
            await until_done(workspace, upload)

    asyncio.run(work())


def test_a_refused_upload_fails_with_the_words_of_the_service(tmp_path: Path, service: ModelService) -> None:
    service.faults.append(("PUT", "refuse"))

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            failed = await until_failed(workspace, upload)
            assert failed.reason == "The service did not take “coat.jpg”: no."
            await workspace.media.retry(upload.id)
            await until_done(workspace, upload)

    asyncio.run(work())


def test_a_failure_is_still_there_after_a_restart(tmp_path: Path, service: ModelService) -> None:
    service.room = 10

    async def before() -> Upload:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            return await until_failed(workspace, upload)

    async def after(failed: Upload) -> None:
        async with opened(tmp_path, service) as workspace:
            assert now_of(workspace, failed).reason == failed.reason
            await workspace.media.retry(failed.id)
            await until_failed(workspace, failed)

    asyncio.run(after(asyncio.run(before())))


def test_a_file_that_is_gone_or_another_one_is_not_uploaded(tmp_path: Path, service: ModelService) -> None:
    gone, changed = picture(tmp_path, "gone.jpg"), picture(tmp_path, "changed.jpg")
    service.online = False

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            uploads = await workspace.media.add_files([gone, changed])
            gone.unlink()
            content = changed.read_bytes() + b"more"
            changed.write_bytes(content)
            service.online = True
            first, second = [await until_failed(workspace, upload) for upload in uploads]
            assert "cannot be read" in first.reason
            assert second.reason.startswith("“changed.jpg” was changed since it was added.")
            await workspace.media.retry(first.id)
            assert now_of(workspace, first).is_failed
            await workspace.media.retry(second.id)
            done = await until_done(workspace, second)
            assert service.files == {done.storage_path: content}

    asyncio.run(work())


def test_what_is_cancelled_frees_its_place_and_is_forgotten(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        line = SlowLine(service)
        async with on_a_slow_line(tmp_path, line) as workspace:
            (upload,) = await workspace.media.add_files([video(tmp_path, size=2 * MIB)])
            await until(lambda: line.uploads == 1)
            await workspace.media.cancel(upload.id)
            assert workspace.media.uploads.all() == []
            await until(lambda: service.files == {})
            assert line.uploads == 0

    async def after() -> None:
        async with opened(tmp_path, service) as workspace:
            assert workspace.media.uploads.all() == []

    asyncio.run(work())
    asyncio.run(after())


def test_what_is_cancelled_as_its_turn_comes_is_not_stored(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            for number in range(10):
                (upload,) = await workspace.media.add_files([video(tmp_path, f"{number}.mp4")])
                for _ in range(number):
                    await asyncio.sleep(0)
                await workspace.media.cancel(upload.id)
                assert workspace.media.uploads.get(upload.id) is None
            await until(lambda: not workspace.media.uploads._others)
            assert not workspace.media.uploads._sending
            assert not any(service.files.values())

    asyncio.run(work())


def test_forgetting_a_stored_file_leaves_it_stored(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            done = await until_done(workspace, upload)
            await workspace.media.cancel(upload.id)
            assert workspace.media.uploads.get(upload.id) is None
            assert list(service.files) == [done.storage_path]
            assert len(await workspace.media.catalogue()) == 1

    asyncio.run(work())


def test_none_is_added_where_one_cannot_be_posted(tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            with pytest.raises(Problem, match="of no kind that can be posted"):
                await workspace.media.add_files([picture(tmp_path), written(tmp_path, "a.txt", b"text")])
            assert workspace.media.uploads.all() == []
            assert await workspace.media.add_files([]) == []

    asyncio.run(work())


def test_what_no_account_takes_is_refused_before_the_upload(tmp_path: Path, service: ModelService) -> None:
    service.add_account("youtube")
    tall = picture(tmp_path, "tall.jpg", (400, 1_600))

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            await workspace.refresh()
            (file,) = await workspace.media.look_at([tall])
            assert file.problem == "“tall.jpg” cannot be posted. YouTube does not take images."
            service.add_account("instagram")  # would take a copy
            await workspace.refresh()
            (file,) = await workspace.media.look_at([tall])
            assert file.problem == ""

    asyncio.run(work())


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_name_of_any_bytes_survives_a_restart(tmp_path: Path, service: ModelService) -> None:
    import os

    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 %41.jpg"))
    picture(tmp_path).rename(path)
    service.online = False

    async def before() -> Upload:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([path])
            return upload

    async def after(upload: Upload) -> None:
        async with opened(tmp_path, service) as workspace:
            assert now_of(workspace, upload).path == path
            service.online = True
            await until_done(workspace, upload)

    asyncio.run(after(asyncio.run(before())))


def test_old_uploads_are_forgotten_unless_a_draft_names_them(tmp_path: Path, service: ModelService) -> None:
    from app.workspace.composer.draft import ComposerDraft

    clock = service.clock
    assert isinstance(clock, HandClock)

    async def before() -> tuple[Upload, Upload]:
        async with opened(tmp_path, service) as workspace:
            files = [picture(tmp_path, "a.jpg"), picture(tmp_path, "b.jpg")]
            uploads = await workspace.media.add_files(files)
            first, second = [await until_done(workspace, upload) for upload in uploads]
            workspace.save_composer(ComposerDraft(upload_id=second.id))
            return first, second

    async def after(first: Upload, second: Upload) -> None:
        async with opened(tmp_path, service) as workspace:
            (third,) = await workspace.media.add_files([picture(tmp_path, "c.jpg")])
            await until_done(workspace, third)
        async with opened(tmp_path, service) as workspace:
            assert workspace.media.uploads.get(first.id) is None
            assert now_of(workspace, second).is_done

    both = asyncio.run(before())
    clock.now += 31 * 86_400_000
    asyncio.run(after(*both))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_after_a_kill_the_draft_has_its_file_and_the_upload_begins_again(
    tmp_path: Path, service: ModelService
) -> None:
    command = [sys.executable, "-m", "tests.workspace.media.killed", str(tmp_path)]
    assert subprocess.run(command, timeout=60, check=False).returncode == -signal.SIGKILL

    async def start_again() -> None:
        async with opened(tmp_path, service) as workspace:
            draft = await workspace.load_composer()
            assert draft is not None
            assert draft.text == "Autumn"
            upload = workspace.media.uploads.get(draft.upload_id)
            assert upload is not None
            done = await until_done(workspace, upload)
            assert service.files == {done.storage_path: (tmp_path / "walk.mp4").read_bytes()}

    asyncio.run(start_again())


def test_what_is_paused_and_hastened_stays_so_after_a_restart(tmp_path: Path, service: ModelService) -> None:
    line = SlowLine(service)

    async def story() -> None:
        files = [video(tmp_path, f"{name}.mp4", MIB) for name in "abcd"]
        async with on_a_slow_line(tmp_path, line) as workspace:
            uploads = workspace.media.uploads
            a, _, c, d = await workspace.media.add_files(files)
            await until(lambda: line.uploads == 2)
            await uploads.pause(a.id)
            await until(lambda: now_of(workspace, c).state is UploadState.SENDING)
            await uploads.hasten(d.id)
        async with on_a_slow_line(tmp_path, line) as workspace:
            assert [upload.name[0] for upload in workspace.media.uploads.all()] == list("dabc")
            assert now_of(workspace, a).state is UploadState.PAUSED
            line.go.set()
            for other in (c, d):
                await until_done(workspace, other)
            assert now_of(workspace, a).state is UploadState.PAUSED
            await workspace.media.retry(a.id)
            await until_done(workspace, a)

    asyncio.run(story())
