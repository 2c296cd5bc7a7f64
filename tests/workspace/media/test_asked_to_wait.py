"""Uploads that wait because the service asked them to."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.workspace.media.upload import UploadState
from tests.workspace.media.samples import picture, video
from tests.workspace.media.uploading import now_of, puts, until_done
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
def test_all_that_wait_say_until_when_and_go_when_that_time_has_come(
    tmp_path: Path, service: ModelService, clock: HandClock, method: str
) -> None:
    service.faults = [(method, "429 3600")] * 2  # two are sent at a time

    async def work() -> None:
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

    asyncio.run(work())


def test_who_does_not_want_to_wait_has_it_asked_at_once(tmp_path: Path, service: ModelService) -> None:
    service.faults = [("POST", "429 3600")]

    async def work() -> None:
        async with opened(tmp_path, service) as workspace:
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: now_of(workspace, upload).asked_until)
            await workspace.media.retry(upload.id)
            await until_done(workspace, upload)
            assert puts(service) == 1

    asyncio.run(work())


def test_a_wait_that_was_asked_of_others_holds_uploads_up_too(tmp_path: Path, service: ModelService) -> None:
    service.faults = [("GET", "429 3600")]

    async def work() -> None:
        async with opened(tmp_path, service, pace=replace(QUICK, poll_idle=600, everything=600)) as workspace:
            await until(lambda: not service.faults)
            (upload,) = await workspace.media.add_files([picture(tmp_path)])
            await until(lambda: now_of(workspace, upload).asked_until == START + _HOUR_MS)
            assert now_of(workspace, upload).state is UploadState.WAITING
            await workspace.media.uploads.pause(upload.id)
            assert now_of(workspace, upload).asked_until is None

    asyncio.run(work())
