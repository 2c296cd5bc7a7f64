"""Every documented filter of every list over HTTP, and the cost of streams for others, on PostgreSQL.

COPY inserts the rows: a large account without posts on some platforms, which is where indexes help.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import psycopg
from sqlalchemy import make_url

from app.contract.enums import ConnectionPlatform, KeyScope, PostStatus
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from tests.benchmarks.punctuality import programs, stores
from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile

_SUMMARY: Final = "p50 and p99 of every list and filter, and of a list with idle streams"
_PLATFORMS: Final = ("linkedin", "x", "facebook", "instagram", "youtube", "tiktok")
_ABSENT: Final = "pinterest"
_STATUSES: Final = ("posted", "posted", "posted", "scheduled", "failed")
_DAY_MS: Final = 86_400_000
_STREAMS_OF_A_KEY: Final = 10
_CHANGES_AT_ONCE: Final = 5_000
_COPY_POSTS: Final = (
    "COPY posts (id, account_id, connection_id, platform, post_type, status, description, scheduled_at,"
    " media_storage_path, batch_id, created_via, created_at) FROM STDIN"
)
_COPY_CONTENTS: Final = (
    "COPY contents (id, account_id, connection_id, platform, content_id, post_id, created_via, created_at)"
    " FROM STDIN"
)
_COPY_METRICS: Final = (
    "COPY metrics (id, account_id, connection_id, platform, content_id, metric_date, views, likes, comments,"
    " shares, subscribers, created_at) FROM STDIN"
)
_COPY_CONNECTIONS: Final = (
    "COPY connections (id, account_id, platform, account_identifier, is_available, access_token, created_at)"
    " FROM STDIN"
)
_STREAMS: Final = """
import asyncio, json, sys
from tests.benchmarks.lists import follow
asyncio.run(follow(*json.loads(sys.argv[1])))
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--posts", type=int, default=1_000_000, metavar="N", help="posts (1000000)")
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="calls per list (200)")
    parser.add_argument("--streams", type=int, default=100, metavar="N", help="idle streams (100)")
    parser.add_argument("--changes", type=int, default=1_000_000, metavar="N", help="changes by others")


def run(options: argparse.Namespace) -> Result:
    """Measure an account's list alone, then with idle streams while others make changes."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-lists-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        store = stack.enter_context(stores.opened("postgresql", folder / "data"))
        url = store.serve[-1]
        now = system_clock()

        def account(name: str, keys: int) -> tuple[UUID, list[str]]:
            def work(rows: Any) -> tuple[UUID, list[str]]:
                made = create_account(rows, name, Plan.LOCAL, now)
                return made, [create_key(rows, made, KeyScope.API_FULL, None, now)[1] for _ in range(keys)]

            return store.database.write_now(work)

        (large, [key]), (small, [own]) = account("Large", 1), account("Small", 1)
        listeners = account("Listening", -(-options.streams // _STREAMS_OF_A_KEY))
        with psycopg.connect(_libpq(url), autocommit=True) as line:
            _fill(line, large, options.posts)
            _fill(line, small, 1_000)
            line.execute("ANALYZE")
            service = stack.enter_context(programs.service(store.serve, practice.base_url))
            figures = _every_filter(service, key, options.calls)
            alone, beside = _beside_streams(service, own, listeners[1], line, options)
    figures |= {"list alone, p95": alone, "list beside streams, p95": beside}
    worst = max(value for name, value in figures.items() if name.endswith("p99"))
    return Result(
        {"worst_p99_ms": worst, "streams_cost_percent": 100 * (beside / alone - 1)},
        figures,
    )


def _libpq(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _fill(line: "psycopg.Connection[Any]", owner: UUID, count: int) -> None:
    """Insert posts, contents and metrics, newest first, on every platform except one."""
    start = round(time.time() * 1_000)
    connections = [uuid4() for _ in _PLATFORMS]
    with line.cursor() as cursor:
        with cursor.copy(_COPY_CONNECTIONS) as rows:
            for place, one in enumerate(connections):
                rows.write_row((one, owner, _PLATFORMS[place], f"person-{place}", place > 0, b"x", start))
        # Disable the change triggers: they would take most of the time, and are measured separately.
        cursor.execute("SET session_replication_role = replica")
        with cursor.copy(_COPY_POSTS) as rows:
            for n in range(count):
                platform = n % len(_PLATFORMS)
                rows.write_row(
                    (
                        uuid4(),
                        owner,
                        connections[platform],
                        _PLATFORMS[platform],
                        "text",
                        _STATUSES[n % len(_STATUSES)],
                        f"Post {n}",
                        start + 30 * _DAY_MS + n,
                        "",
                        "spring" if n % 3 == 0 else None,
                        "rest",
                        start - n,
                    )
                )
        with cursor.copy(_COPY_CONTENTS) as rows:
            for n in range(count):
                place = n % len(_PLATFORMS)
                rows.write_row(
                    (uuid4(), owner, connections[place], _PLATFORMS[place], str(n), None, "rest", start - n)
                )
        with cursor.copy(_COPY_METRICS) as rows:
            for n in range(count):
                place, day = n % len(_PLATFORMS), n // len(_PLATFORMS) % 90
                date = time.strftime("%Y-%m-%d", time.gmtime((start - day * _DAY_MS) / 1_000))
                of = (uuid4(), owner, connections[place], _PLATFORMS[place], f"c{n // 540}", date)
                rows.write_row((*of, 1, 1, 1, 1, 1, start - n))
        cursor.execute("SET session_replication_role = DEFAULT")


def _combinations(told: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    for count in range(len(told) + 1):
        for names in itertools.combinations(told, count):
            for values in itertools.product(*(told[name] for name in names)):
                yield dict(zip(names, values, strict=True))


def _lists() -> Iterator[tuple[str, dict[str, str]]]:
    platform = ("linkedin", _ABSENT)
    assert "cancelled" in set(PostStatus)
    filters = {"status": ("posted", "cancelled"), "platform": platform, "batch_id": ("spring", "none")}
    for given in _combinations(filters):
        yield "/api/v1/posts", given
    for end in ("2001", "2100"):  # without and with posts
        yield "/companion/v1/posts", {"from": "2000-01-01T00:00:00Z", "to": f"{end}-01-01T00:00:00Z"}
    for given in _combinations({"platform": (*platform, ConnectionPlatform.THREADS.value)}):
        yield "/api/v1/content-history", given
    for given in _combinations({"platform": platform, "include_unavailable": ("true",)}):
        yield "/api/v1/connections", given
    for given in _combinations({"platform": platform, "content_id": ("c7", "none"), "days": ("1", "90")}):
        yield "/api/v1/analytics", given


def _client(service: programs.Program, key: str) -> httpx.Client:
    trust = ssl.create_default_context(cafile=service.ready["ca_file"])
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=service.base_url, verify=trust, headers=headers, trust_env=False, timeout=60)


def _every_filter(service: programs.Program, key: str, calls: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    with _client(service, key) as client:
        for path, given in _lists():
            first = client.get(path, params=given).raise_for_status().json()
            pages = [given]
            if first["next_cursor"]:
                pages.append({**given, "cursor": first["next_cursor"]})
            taken = [_timed(partial(client.get, path, params=page)) for page in pages * calls]
            name = " ".join([path, *(f"{name}={value}" for name, value in given.items())])
            figures |= {f"{name}, p50": percentile(taken, 0.5), f"{name}, p99": percentile(taken, 0.99)}
    return figures


def _timed(call: Callable[[], httpx.Response]) -> float:
    began = time.perf_counter()
    call().raise_for_status()
    return (time.perf_counter() - began) * 1_000


def _beside_streams(
    service: programs.Program,
    own: str,
    keys: Sequence[str],
    line: "psycopg.Connection[Any]",
    options: argparse.Namespace,
) -> tuple[float, float]:
    """Return the p95 of a small account's list, alone and with streams opened before all the changes."""

    def measured(client: httpx.Client) -> float:
        return percentile(
            [_timed(lambda: client.get("/api/v1/posts")) for _ in range(options.calls * 10)], 0.95
        )

    with _client(service, own) as client:
        measured(client)
        alone = measured(client)
        told = json.dumps([service.base_url, service.ready["ca_file"], keys, options.streams])
        command = [sys.executable, "-c", _STREAMS, told]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as streams:
            try:
                assert streams.stdout is not None
                if not streams.stdout.readline():
                    sys.exit("The streams did not start.")
                for first in range(0, options.changes, _CHANGES_AT_ONCE):
                    _change(line, min(_CHANGES_AT_ONCE, options.changes - first))
                return alone, measured(client)
            finally:
                programs.end(streams)


def _change(line: "psycopg.Connection[Any]", count: int) -> None:
    """Change accounts without listeners."""
    line.execute(
        "INSERT INTO changes (account_id, kind, subject, created_at) SELECT gen_random_uuid(),"
        " 'post.changed', gen_random_uuid()::text, %s FROM generate_series(1, %s)",
        (round(time.time() * 1_000), count),
    )


async def follow(base_url: str, ca_file: str, keys: Sequence[str], count: int) -> None:
    """Hold streams open until this process is ended, and report when all have started."""
    trust = ssl.create_default_context(cafile=ca_file)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(verify=trust, trust_env=False, timeout=None, limits=limits) as client:  # noqa: S113
        begun = [asyncio.Event() for _ in range(count)]

        async def one(number: int) -> None:
            headers = {"Authorization": f"Bearer {keys[number % len(keys)]}"}
            async with client.stream("GET", f"{base_url}/companion/v1/events", headers=headers) as answer:
                answer.raise_for_status()
                async for _ in answer.aiter_lines():
                    begun[number].set()

        async with asyncio.TaskGroup() as tasks:
            for number in range(count):
                tasks.create_task(one(number))
            await asyncio.gather(*(event.wait() for event in begun))
            print("begun", flush=True)


BENCHMARK: Final = Benchmark("lists", _SUMMARY, add_options, run)
