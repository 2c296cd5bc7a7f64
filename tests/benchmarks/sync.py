"""The real workspace with the real service: the first listing, idling, and a change made elsewhere."""

import argparse
import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from uuid import UUID

from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile

if TYPE_CHECKING:
    from app.client import ServiceClient
    from app.workspace.workspace import Workspace
    from tests.benchmarks.service.world import Server

_LIVE: Final = 40
_QUIET_S: Final = 3.0
_IDLE_S: Final = 10.0
_POLL_S: Final = 1.0
_PATIENCE_S: Final = 120.0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=10_000, metavar="N", help="stored posts (10000)")


def run(options: argparse.Namespace) -> Result:
    """Follow a service twice: with all of its features and, as ``besides``, only with the specified API.

    A live change is timed from the call until the workspace reports it.
    """
    from tests.benchmarks.service.world import World

    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        world = World(folder / "service", options.posts)
        with world.serving() as server:
            specified = asyncio.run(_follow(server, folder / "specified.db", options.posts, specified=True))
            offered = asyncio.run(_follow(server, folder / "offered.db", options.posts, specified=False))
    return Result(
        {
            "first_requests": offered.first_requests,
            "first_s": offered.first_s,
            "idle_requests": offered.idle_requests,
            "live_change_ms_p50": percentile(offered.live_ms, 0.5),
        },
        {
            "live_change_ms_p95": percentile(offered.live_ms, 0.95),
            "restart_requests": offered.restart_requests,
            "specified_first_requests": specified.first_requests,
            "specified_first_s": specified.first_s,
            "specified_idle_requests": specified.idle_requests,
            "specified_restart_requests": specified.restart_requests,
        },
    )


@dataclass(slots=True)
class _Followed:
    """Cost of following a service; ``idle_requests`` are those of a refresh without changes."""

    first_requests: int
    first_s: float
    idle_requests: float
    live_ms: list[float]
    restart_requests: int


@dataclass(slots=True)
class _Requests:
    """Counts the requests of a client."""

    count: int = 0

    async def add(self, _request: object) -> None:
        self.count += 1


async def _follow(server: "Server", file: Path, posts: int, *, specified: bool) -> _Followed:
    started = time.perf_counter()
    async with _opened(server, file, specified=specified) as (workspace, requests):
        await _until(lambda: len(workspace.posts) == posts and workspace.sync.last_synced is not None)
        first_requests, first_s = requests.count, time.perf_counter() - started
        if not specified:  # until it follows the changes, it polls
            await _until(lambda: workspace.sync.followed)
        await _quiet(requests, specified=specified)
        idle_requests = await _idle(workspace, requests)
        live_ms = [] if specified else await _live_changes(server, workspace)
    async with _opened(server, file, specified=specified) as (workspace, requests):
        await _until(lambda: workspace.sync.last_synced is not None)
        return _Followed(first_requests, first_s, idle_requests, live_ms, requests.count)


@asynccontextmanager
async def _opened(
    server: "Server", file: Path, *, specified: bool
) -> AsyncIterator[tuple["Workspace", _Requests]]:
    from app.workspace.clock import Pace
    from app.workspace.workspace import Workspace

    client, requests = _client(server, specified=specified), _Requests()
    client._wire._http.event_hooks = {"request": [requests.add]}
    workspace = await Workspace.open(client, file, name="Benchmark", pace=Pace(poll_active=_POLL_S))
    try:
        yield workspace, requests
    finally:
        await workspace.close()


def _client(server: "Server", *, specified: bool) -> "ServiceClient":
    from app.client import ServiceClient
    from app.contract.companion import CompanionRoot

    class SpecifiedOnly(ServiceClient):
        """A client of a service without a companion API."""

        async def companion(self) -> CompanionRoot | None:
            return None

    kind = SpecifiedOnly if specified else ServiceClient
    return kind(server.base_url, server.key, ssl_context=ssl.create_default_context(cafile=server.ca_file))


async def _quiet(requests: _Requests, *, specified: bool) -> None:
    """Wait until the workspace is up to date; one that polls is never completely silent."""
    polls = int(_QUIET_S / _POLL_S) + 1 if specified else 0
    before = -1
    async with asyncio.timeout(_PATIENCE_S):
        while requests.count - before > 3 * polls:
            before = requests.count
            await asyncio.sleep(_QUIET_S)


async def _idle(workspace: "Workspace", requests: _Requests) -> float:
    """Return the requests per refresh, averaged over a few seconds."""
    synced: set[datetime | None] = set()
    forget = workspace.listen(
        lambda changes: synced.add(workspace.sync.last_synced) if changes.sync else None
    )
    before = requests.count
    await asyncio.sleep(_IDLE_S)
    forget()
    return (requests.count - before) / max(1, len(synced))


async def _live_changes(server: "Server", workspace: "Workspace") -> list[float]:
    """Let another client create and move posts; return the delays until the workspace reports them, in ms."""
    from app.contract.posts import CreatePost

    other = _client(server, specified=False)
    at = datetime.now(UTC) + timedelta(days=900)
    account = next(iter(workspace.accounts))
    heard = asyncio.Event()
    taken = []
    try:
        for number in range(_LIVE):
            body = {
                "social_account_id": UUID(account),
                "platform": "linkedin",
                "post_type": "text",
                "description": f"Live {number}",
                "scheduled_at": at,
            }
            made = await other.create_post(CreatePost.model_validate(body, strict=False))
            await _until(lambda key=str(made.id): key in workspace.posts)  # type: ignore[misc]
            forget = workspace.listen(
                lambda changes, key=str(made.id): heard.set() if key in changes.posts else None  # type: ignore[misc]
            )
            heard.clear()
            start = time.perf_counter()
            moving = asyncio.create_task(other.reschedule_post(made.id, at + timedelta(hours=number + 1)))
            await asyncio.wait_for(heard.wait(), _PATIENCE_S)
            taken.append((time.perf_counter() - start) * 1_000)
            forget()
            await moving
    finally:
        await other.close()
    return taken


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():  # noqa: ASYNC110  there is no event for it
            await asyncio.sleep(0.005)


BENCHMARK = Benchmark("sync", "cost of keeping in sync with the service", add_options, run)
