"""What of uploads is there again after a restart or a kill, and what is forgotten."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from app.workspace.media.upload import Upload, UploadState
from tests.workspace.media.samples import SlowLine, picture, video
from tests.workspace.media.uploading import MIB, now_of, on_a_slow_line, puts, until_done, until_failed
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def test_a_restart_in_the_middle_begins_again_and_leaves_one_file(
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

    upload_id = await before()
    assert list(service.files.values()) == [None]  # a place, and nothing in it
    await after(upload_id)


async def test_what_is_done_stays_done_after_a_restart(tmp_path: Path, service: ModelService) -> None:
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

    await after(await before())


async def test_a_failure_is_still_there_after_a_restart(tmp_path: Path, service: ModelService) -> None:
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

    await after(await before())


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
async def test_a_name_of_any_bytes_survives_a_restart(tmp_path: Path, service: ModelService) -> None:
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

    await after(await before())


async def test_old_uploads_are_forgotten_unless_a_draft_names_them(
    tmp_path: Path, service: ModelService
) -> None:
    from app.workspace.editing.draft import ComposerDraft

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
            # Also in memory, or a draft could name one that the next start doesn't know.
            await until(lambda: workspace.media.uploads.get(first.id) is None)
            assert now_of(workspace, second).is_done
        async with opened(tmp_path, service) as workspace:
            assert [upload.id for upload in workspace.media.uploads.all()] == [second.id]

    both = await before()
    clock.now += 31 * 86_400_000
    await after(*both)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_after_a_kill_the_draft_has_its_file_and_the_upload_begins_again(
    tmp_path: Path, service: ModelService
) -> None:
    words = ["-m", "tests.workspace.media.killed", str(tmp_path)]
    killed = await asyncio.create_subprocess_exec(sys.executable, *words)
    assert await asyncio.wait_for(killed.wait(), 60) == -signal.SIGKILL

    async with opened(tmp_path, service) as workspace:
        draft = await workspace.load_composer()
        assert draft is not None
        assert draft.text == "Autumn"
        upload = workspace.media.uploads.get(draft.upload_id)
        assert upload is not None
        done = await until_done(workspace, upload)
        assert service.files == {done.storage_path: (tmp_path / "walk.mp4").read_bytes()}


async def test_what_is_paused_and_hastened_stays_so_after_a_restart(
    tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

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
