"""The queue of uploads, over a service in memory and a line that can be slow, cut and refuse."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.upload import Upload, UploadState
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace
from tests.workspace.failing_disk import busy, refusing
from tests.workspace.held_service import HeldService
from tests.workspace.media.samples import SlowLine, picture, video, written
from tests.workspace.media.uploading import MIB, now_of, on_a_slow_line, puts, until_done, until_failed
from tests.workspace.model_service import START, HandClock, ModelService
from tests.workspace.opened import QUICK, opened, until

_HOUR_MS = 3_600_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_all_that_wait_say_until_when_and_go_when_that_time_has_come(
    tmp_path: Path, service: ModelService, clock: HandClock, method: str
) -> None:
    service.faults = [(method, "429 3600")] * 2  # two are sent at a time

    async with opened(tmp_path, service) as workspace:
        files = [picture(tmp_path), video(tmp_path), picture(tmp_path, "hem.jpg")]
        added = await workspace.media.add_files(files)
        await until(lambda: all(now_of(workspace, one).asked_until for one in added))
        assert {now_of(workspace, one).asked_until for one in added} == {START + _HOUR_MS}
        assert all(now_of(workspace, one).is_put_off for one in added)
        asked = len(service.requests)
        await workspace.refresh()  # that others are answered says nothing of uploads
        await asyncio.sleep(0.05)
        assert [one.method for one in service.requests[asked:]].count(method) == 0
        clock.now += _HOUR_MS
        for upload in added:
            assert (await until_done(workspace, upload)).asked_until is None


async def test_who_does_not_want_to_wait_has_it_asked_at_once(tmp_path: Path, service: ModelService) -> None:
    service.faults = [("POST", "429 3600")]

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: now_of(workspace, upload).asked_until)
        await workspace.media.retry(upload.id)
        await until_done(workspace, upload)
        assert puts(service) == 1


async def test_a_wait_that_was_asked_of_others_holds_uploads_up_too(
    tmp_path: Path, service: ModelService
) -> None:
    service.faults = [("GET", "429 3600")]

    async with opened(tmp_path, service, pace=replace(QUICK, poll_idle=600, everything=600)) as workspace:
        await until(lambda: not service.faults)
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: now_of(workspace, upload).asked_until == START + _HOUR_MS)
        assert now_of(workspace, upload).state is UploadState.WAITING
        await workspace.media.uploads.pause(upload.id)
        assert now_of(workspace, upload).asked_until is None


async def test_a_file_arrives_and_is_in_the_catalogue(tmp_path: Path, service: ModelService) -> None:
    path = picture(tmp_path)

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


async def test_progress_is_told_while_bytes_go_out(tmp_path: Path, service: ModelService) -> None:
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


async def test_two_at_a_time_and_in_their_order(tmp_path: Path, service: ModelService) -> None:
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


async def test_without_a_network_it_waits_and_then_goes(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: now_of(workspace, upload).reason)
        assert now_of(workspace, upload).state is UploadState.WAITING
        assert "can't be reached" in now_of(workspace, upload).reason
        service.online = True
        assert (await until_done(workspace, upload)).reason == ""


@pytest.mark.parametrize(("kind", "sent"), [("timeout", 2), ("500", 2), ("429", 2), ("lose", 1)])
async def test_a_broken_upload_begins_again_at_the_same_place_unless_it_arrived(
    tmp_path: Path, service: ModelService, kind: str, sent: int
) -> None:
    service.faults.append(("PUT", kind))

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until_done(workspace, upload)
        assert len(service.files) == 1
        assert puts(service) == sent


async def test_a_full_store_is_said_before_a_byte_goes_out(tmp_path: Path, service: ModelService) -> None:
    service.room = 10

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        failed = await until_failed(workspace, upload)
        assert failed.reason.startswith("There isn't enough storage left for this file. Delete files")
        assert puts(service) == 0
        service.room = 10**9
        await workspace.media.retry(upload.id)
        await until_done(workspace, upload)


async def test_a_refused_upload_fails_with_the_words_of_the_service(
    tmp_path: Path, service: ModelService
) -> None:
    service.faults.append(("PUT", "refuse"))

    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        failed = await until_failed(workspace, upload)
        assert failed.reason == "The service rejected “coat.jpg”: no."
        await workspace.media.retry(upload.id)
        await until_done(workspace, upload)


async def test_a_file_that_is_gone_or_another_one_is_not_uploaded(
    tmp_path: Path, service: ModelService
) -> None:
    gone, changed = picture(tmp_path, "gone.jpg"), picture(tmp_path, "changed.jpg")
    service.online = False

    async with opened(tmp_path, service) as workspace:
        uploads = await workspace.media.add_files([gone, changed])
        gone.unlink()
        content = changed.read_bytes() + b"more"
        changed.write_bytes(content)
        service.online = True
        first, second = [await until_failed(workspace, upload) for upload in uploads]
        assert first.reason == "The file was moved or deleted. Add it again."
        assert second.reason.startswith("“changed.jpg” has changed since you added it.")
        await workspace.media.retry(first.id)
        assert now_of(workspace, first).is_failed
        await workspace.media.retry(second.id)
        done = await until_done(workspace, second)
        assert service.files == {done.storage_path: content}


async def test_what_is_cancelled_frees_its_place_and_is_forgotten(
    tmp_path: Path, service: ModelService
) -> None:
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

    await work()
    await after()


async def test_an_upload_is_kept_while_a_draft_needs_it(tmp_path: Path, service: ModelService) -> None:
    service.online = False
    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        draft = ComposerDraft("Wool", upload_ids={"account": upload.id})
        kept = workspace.drafts.keep(draft)
        workspace.save_composer(replace(draft, draft_id="another"))
        assert not await workspace.media.cancel(upload.id, by_composer=True)
        workspace.drafts.remove([kept.id])
        assert not await workspace.media.cancel(upload.id)
        assert workspace.media.uploads.get(upload.id) is not None
        assert await workspace.media.cancel(upload.id, by_composer=True)
        assert workspace.media.uploads.all() == []


async def test_what_is_cancelled_as_its_turn_comes_is_not_stored(
    tmp_path: Path, service: ModelService
) -> None:
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


async def test_forgetting_a_stored_file_leaves_it_stored(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        done = await until_done(workspace, upload)
        await workspace.media.cancel(upload.id)
        assert workspace.media.uploads.get(upload.id) is None
        assert list(service.files) == [done.storage_path]
        assert len(await workspace.media.catalogue()) == 1


async def test_none_is_added_where_one_cannot_be_posted(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="isn't a supported file type"):
            await workspace.media.add_files([picture(tmp_path), written(tmp_path, "a.txt", b"text")])
        assert workspace.media.uploads.all() == []
        assert await workspace.media.add_files([]) == []


async def test_what_no_account_takes_is_refused_before_the_upload(
    tmp_path: Path, service: ModelService
) -> None:
    service.add_account("youtube")
    tall = picture(tmp_path, "tall.jpg", (400, 1_600))

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        (file,) = await workspace.media.look_at([tall])
        assert file.problem == "“tall.jpg” can't be posted. YouTube can't publish images."
        service.add_account("instagram")  # would take a copy
        await workspace.refresh()
        (file,) = await workspace.media.look_at([tall])
        assert file.problem == ""


async def test_an_upload_that_ends_while_it_is_moved_to_the_front_stays_done(
    tmp_path: Path, clock: HandClock
) -> None:
    service = HeldService(clock)
    async with opened(tmp_path, service) as workspace:
        with service.hold("PUT", ""):
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: service.waiting)
            blocked = busy(workspace)
            await blocked.__aenter__()
        load = workspace._core.database.load
        await until(lambda: load().waiting_writes)
        moving = asyncio.create_task(workspace.media.uploads.hasten(upload.id))
        await until(lambda: load().waiting_writes > 1)
        await blocked.__aexit__(None, None, None)
        await moving
        assert now_of(workspace, upload).is_done
    async with opened(tmp_path, service) as workspace:
        assert [one.is_done for one in workspace.media.uploads.all()] == [True]


async def test_an_upload_that_is_cancelled_while_it_is_restarted_stays_cancelled(
    tmp_path: Path, service: ModelService
) -> None:
    service.faults = [("POST", "429 3600")]
    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: now_of(workspace, upload).asked_until)
        async with busy(workspace):
            cancelling = asyncio.create_task(workspace.media.cancel(upload.id))
            await until(lambda: workspace._core.database.load().waiting_writes)
            restarting = asyncio.create_task(workspace.media.retry(upload.id))
            await until(lambda: workspace._core.database.load().waiting_writes > 1)
        await asyncio.gather(cancelling, restarting)
        assert workspace.media.uploads.all() == []
    async with opened(tmp_path, service) as workspace:
        assert workspace.media.uploads.all() == []


async def test_an_upload_whose_pause_could_not_be_stored_is_sent(tmp_path: Path, clock: HandClock) -> None:
    """Otherwise it would look paused, and be sent after the next start."""
    service = HeldService(clock)
    async with opened(tmp_path, service) as workspace:
        told: list[Upload] = []
        with service.hold("PUT", ""):
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: service.waiting)
            workspace.media.listen(told.append)
            async with refusing(workspace, "UPDATE ON uploads", "NEW.state = 'paused'"):
                with pytest.raises(Problem):
                    await workspace.media.uploads.pause(upload.id)
        await until_done(workspace, upload)
        assert UploadState.PAUSED not in {one.state for one in told}


async def test_an_upload_is_not_sent_while_its_pause_is_stored(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    service.faults = [("POST", "429 3600")]
    async with opened(tmp_path, service) as workspace:
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: now_of(workspace, upload).asked_until)
        async with busy(workspace):
            pausing = asyncio.create_task(workspace.media.uploads.pause(upload.id))
            await until(lambda: workspace._core.database.load().waiting_writes)
            clock.now += _HOUR_MS
            workspace.media.uploads.wake()
            await until(lambda: not workspace.media.uploads._wake.is_set())
        await pausing
        assert now_of(workspace, upload).state is UploadState.PAUSED
        assert puts(service) == 0


async def test_a_change_whose_caller_is_cancelled_is_shown_as_it_is_stored(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    """A write goes on when its caller is cancelled, for example because the window was closed."""
    service.faults = [("POST", "429 3600")] * 100
    files = [picture(tmp_path, f"{name}.jpg") for name in "abcd"]
    async with opened(tmp_path, service) as workspace:
        uploads = workspace.media.uploads
        a, b, c, d = await workspace.media.add_files(files)
        await until(lambda: now_of(workspace, d).asked_until)
        await uploads.pause(d.id)
        more = await workspace.media.look_at([picture(tmp_path, "e.jpg")])
        clock.now += 1_000  # the file is added later than the others
        changes = (uploads.cancel(a.id), uploads.pause(b.id), uploads.hasten(c.id), uploads.retry(d.id))
        await _cancelled_while_stored(workspace, *changes, uploads.add(more))
        shown = [(one.name[0], one.state.value) for one in uploads.all()]
        assert shown == [("c", "waiting"), ("b", "paused"), ("d", "waiting"), ("e", "waiting")]
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert [(one.name[0], one.state.value) for one in workspace.media.uploads.all()] == shown


async def _cancelled_while_stored(workspace: Workspace, *changes: Coroutine[Any, Any, object]) -> None:
    load = workspace._core.database.load
    async with busy(workspace):
        tasks = [asyncio.create_task(change) for change in changes]
        await until(lambda: load().waiting_writes >= len(tasks))
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    await workspace._core.write(lambda _connection: None)  # after all of them


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_upload_hastened_while_it_is_paused_or_restarted_stays_first(
    tmp_path: Path, service: ModelService, is_restarted: bool
) -> None:
    service.faults = [("POST", "429 3600")] * 100
    files = [picture(tmp_path, f"{name}.jpg") for name in "ab"]
    async with opened(tmp_path, service) as workspace:
        uploads = workspace.media.uploads
        _, upload = await workspace.media.add_files(files)
        await until(lambda: now_of(workspace, upload).asked_until)
        if is_restarted:
            await uploads.pause(upload.id)
        async with busy(workspace):
            hastening = asyncio.create_task(uploads.hasten(upload.id))
            await until(lambda: workspace._core.database.load().waiting_writes)
            change = uploads.retry if is_restarted else uploads.pause
            changing = asyncio.create_task(change(upload.id))
            await until(lambda: workspace._core.database.load().waiting_writes > 1)
        await asyncio.gather(hastening, changing)
        places = [(one.id, one.added_at) for one in uploads.all()]
        assert places[0][0] == upload.id
    service.online = False
    async with opened(tmp_path, service) as workspace:
        assert [(one.id, one.added_at) for one in workspace.media.uploads.all()] == places


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_an_upload_stopped_while_its_end_is_stored_keeps_its_file(
    tmp_path: Path, clock: HandClock, is_cancelled: bool
) -> None:
    service = HeldService(clock)
    async with opened(tmp_path, service) as workspace:
        uploads = workspace.media.uploads
        with service.hold("PUT", ""):
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: service.waiting)
            blocked = busy(workspace)
            await blocked.__aenter__()
        await until(lambda: workspace._core.database.load().waiting_writes)
        stopping = asyncio.create_task((uploads.cancel if is_cancelled else uploads.pause)(upload.id))
        await until(lambda: workspace._core.database.load().waiting_writes > 1)
        await blocked.__aexit__(None, None, None)
        await stopping
        states = [] if is_cancelled else [UploadState.DONE]
        assert [one.state for one in uploads.all()] == states
        (stored,) = await workspace.media.catalogue()
    async with opened(tmp_path, service) as workspace:
        assert [one.state for one in workspace.media.uploads.all()] == states
        assert list(service.files) == [stored.storage_path]


async def test_two_uploads_hastened_at_the_same_time_keep_their_order(
    tmp_path: Path, service: ModelService
) -> None:
    service.online = False
    files = [picture(tmp_path, f"{name}.jpg") for name in "abc"]
    async with opened(tmp_path, service) as workspace:
        uploads = workspace.media.uploads
        a, b, c = await workspace.media.add_files(files)
        async with busy(workspace):
            both = asyncio.gather(uploads.hasten(b.id), uploads.hasten(c.id))
            await until(lambda: workspace._core.database.load().waiting_writes > 1)
        await both
        assert [one.id for one in uploads.all()] == [c.id, b.id, a.id]
        first, second, _ = (one.added_at for one in uploads.all())
        assert first < second
