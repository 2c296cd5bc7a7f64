"""Uploads of a test, and how they stand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.workspace.media.upload import Upload
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import SlowLine
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, until

MIB = 1024 * 1024


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
