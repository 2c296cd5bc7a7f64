"""No answer stops the event loop, fills memory, or ends synchronization once the service is well again."""

import asyncio
import gc
import resource
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from app.contract.enums import ConnectionPlatform, PostStatus
from app.workspace.messages import Problem
from app.workspace.store.schema import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.hostile.kinds import companions
from tests.hostile.running import PACE, Elsewhere, Service
from tests.hostile.variation import Variation
from tests.migrated import lay

_STALL_S: Final = 0.1
_TICK_S: Final = 0.002
_BYTES: Final = 100 * 1024 * 1024
_PATIENCE_S: Final = 60.0


class _Watch:
    """The processor time that the loop's thread spends between two turns; ``longest`` is in seconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._loop = asyncio.get_running_loop()
        self._before = time.thread_time()
        self._next = self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._before)
        self._before = now
        self._next = self._loop.call_later(_TICK_S, self._turn)

    def stop(self) -> None:
        self._next.cancel()


async def _use(workspace: Workspace) -> None:
    """Asks for everything that a service tells; what it refuses is a Problem and nothing else."""

    async def each(works: list[Callable[[], Awaitable[object]]]) -> None:
        for work in works:
            with suppress(Problem):
                await work()

    failed = [post.key for post in workspace.posts if post.status is PostStatus.FAILED][:2]
    await each([lambda key=key: workspace.detail(key) for key in failed])  # type: ignore[misc]
    await each(
        [
            workspace.media.library.refresh,
            workspace.media.library.items,
            workspace.usage.refresh,
            workspace.webhooks.refresh,
            workspace.published.refresh,
            workspace.analytics.refresh,
            workspace.flows.integrations_page,
            lambda: workspace.flows.begin(ConnectionPlatform.LINKEDIN),
            workspace.refresh,
        ]
    )
    for account in list(workspace.accounts.values())[:20]:
        if account.platform is ConnectionPlatform.PINTEREST:
            await each([lambda key=account.key: workspace.boards.ask(key)])  # type: ignore[misc]
    for item in (await workspace.media.library.items())[:2]:
        await workspace.media.pictures.of(item.file)


async def _until(condition: Callable[[], object], what: str, workspace: Workspace) -> None:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not condition():  # noqa: ASYNC110  whatever it waits for tells nobody
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"{what}: {workspace.sync}") from None


async def _live(elsewhere: Elsewhere, path: Path) -> tuple[float, int]:
    """Uses a workspace until the service is well again; gives the longest stall and the growth of memory."""
    workspace = await Workspace.open(elsewhere.client(), path, name="Elsewhere", pace=PACE)
    try:
        watch, before = _Watch(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        await _use(workspace)
        watch.stop()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        await elsewhere.heal()
        known = set((await elsewhere.state()).posts)
        await _until(lambda: known <= {post.key for post in workspace.posts}, "posts are missing", workspace)
        await _until(lambda: workspace.sync.connected and not workspace.sync.problem, "no contact", workspace)
    finally:
        await workspace.close()
    return watch.longest, grown


@pytest.mark.parametrize(
    "variation", companions.VARIATIONS, ids=[variation.name for variation in companions.VARIATIONS]
)
def test_the_workspace_stays_calm_and_recovers(tmp_path: Path, other: Service, variation: Variation) -> None:
    path = tmp_path / "workspace.db"
    lay(path, MIGRATIONS)
    gc.collect()
    gc.freeze()  # the app collects at moments of its own; here there is all that earlier tests left
    try:
        stall, grown = asyncio.run(_live(other.visit(variation.name), path))
    finally:
        gc.unfreeze()
    assert stall < _STALL_S
    assert grown < _BYTES
