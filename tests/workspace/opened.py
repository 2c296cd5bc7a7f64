"""Workspaces for tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from app.contract.enums import PostingPlatform, PostType
from app.workspace.changes import Changes
from app.workspace.clock import Pace
from app.workspace.messages import Message
from app.workspace.posts.new import NewPost
from app.workspace.store.tables import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.migrated import lay
from tests.workspace.model_service import HOUR, START, ModelService

QUICK = Pace(
    tick=0.005,
    poll_active=0.02,
    poll_idle=0.05,
    everything=0.2,
    second_look=0.05,
    companion_gone=0.02,
    losses=0.01,
    due_delay=0,
    due_delay_followed=0.5,
    save_position=0.02,
    due_repeat=0.01,
    due_repeat_max=0.05,
    backoff=0.005,
    backoff_max=0.02,
    publish_hold=0.005,
    save_again=0.01,
    connection_poll=0.01,
)


class Opened(Workspace):
    """A workspace that remembers what it told."""

    heard: list[Changes]
    said: list[Message]


@asynccontextmanager
async def opened(
    folder: Path, service: ModelService, *, pace: Pace = QUICK, runs_here: bool = False
) -> AsyncIterator[Opened]:
    """Opens the workspace of a folder, and closes it."""
    path = folder / "workspace.db"
    lay(path, MIGRATIONS)
    workspace = await Opened.open(
        service.client(), path, name="Test", clock=service.clock, pace=pace, runs_here=runs_here
    )
    workspace.heard, workspace.said = [], []
    workspace.listen(workspace.heard.append)
    workspace.listen_messages(workspace.said.append)
    try:
        yield workspace
    finally:
        await workspace.close()


async def until(condition: Callable[[], object], *, patience: float = 30) -> None:
    """Waits for something that happens by itself; fails when it does not."""
    async with asyncio.timeout(patience):
        while not condition():  # noqa: ASYNC110  whatever it waits for tells nobody
            await asyncio.sleep(0.002)


async def settled(workspace: Workspace) -> None:
    """Waits until the service has confirmed everything, and a whole listing has been seen since."""
    await until(lambda: workspace.sync.waiting == 0)
    await workspace.refresh()


def new_post(account: str, text: str = "Hello", at: int | None = START + HOUR, key: str = "") -> NewPost:
    post = NewPost(account, PostingPlatform.X, PostType.TEXT, text, at=at)
    return replace(post, idempotency_key=key) if key else post
