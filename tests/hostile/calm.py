"""Running the app with a broken service, and measuring the effects."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.contract.enums import ConnectionPlatform, PostStatus
from app.desktop.collector import Collection
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace
from tests.fuzzing.busy.memory import resident_mb
from tests.hostile.running import PACE, Elsewhere

_TICK_S: Final = 0.002
_COLLECT_S: Final = 0.2
_PATIENCE_S: Final = 80.0
"""Longer than the minute after which the app calls a service again that asked it to wait, in s."""


class Watch:
    """Measures the loop thread's CPU time between two iterations, and the memory.

    ``longest`` is in seconds; ``least`` (at the start) and ``most`` are in MB.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self.most = self.least = resident_mb()
        self._loop = asyncio.get_running_loop()
        self._before = time.thread_time()
        self._next = self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._before)
        self.most = max(self.most, resident_mb())
        self._before = time.thread_time()
        self._next = self._loop.call_later(_TICK_S, self._turn)

    def stop(self) -> None:
        self._next.cancel()


async def _use(workspace: Workspace) -> None:
    """Request everything from a service. Refusals raise Problem and nothing else."""

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
            while not condition():  # noqa: ASYNC110  there is no event for it
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"{what}: {workspace.sync}") from None


async def _collect(collection: Collection) -> None:
    """Collect garbage as often as the app does while it's busy."""
    while True:
        await asyncio.sleep(_COLLECT_S)
        collection.collect()


@dataclass(frozen=True, slots=True)
class Life:
    """Effects of a service on the app: the longest stall, added memory, and time until it's in sync."""

    stall_ms: float
    grown_mb: float
    recovery_s: float


async def live(elsewhere: Elsewhere, path: Path, collection: Collection) -> Life:
    """Use a workspace until the service is healthy again."""
    workspace = await Workspace.open(elsewhere.client(), path, name="Elsewhere", pace=PACE)
    try:
        watch = Watch()
        collecting = asyncio.create_task(_collect(collection))
        await _use(workspace)
        collecting.cancel()
        watch.stop()
        await elsewhere.heal()
        healed = time.monotonic()
        known = set((await elsewhere.state()).posts)
        await _until(lambda: known <= {post.key for post in workspace.posts}, "posts are missing", workspace)
        await _until(lambda: workspace.sync.connected and not workspace.sync.problem, "no contact", workspace)
        recovery = time.monotonic() - healed
    finally:
        await workspace.close()
    return Life(watch.longest * 1_000, watch.most - watch.least, recovery)
