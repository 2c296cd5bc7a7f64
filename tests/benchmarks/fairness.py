"""What one account's backlog and heavy reading cost another one, on PostgreSQL with a plan of servers.

The readers never pause, so most of their calls are refused with 429 once the plan's limit is reached. They
run in a separate process, so they don't compete for the service's GIL.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx

from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, create_key
from app.service.clock import system_clock
from tests.benchmarks.punctuality import plan, programs, stores
from tests.benchmarks.punctuality.accounts import Account, connect
from tests.benchmarks.punctuality.arrivals import Arrivals
from tests.benchmarks.punctuality.stores import Store
from tests.benchmarks.registry import Benchmark, Result, step
from tests.benchmarks.samples import percentile

_SUMMARY: Final = "lateness and list latency of one account during another's backlog and heavy reading"
_CONNECTIONS: Final = 3
_POSTS_PER_S: Final = 5
_SETTLE_MS: Final = 1_500
_LONGEST_S: Final = 120
_LATE_BY_MS: Final = 10 * 60_000
_PAGE: Final = 100
_PAUSE_S: Final = 0.2
"""Pause between lists, in s, so that they stay within the plan's limit."""
_READERS: Final = """
import asyncio, json, sys
from tests.benchmarks.fairness import read
asyncio.run(read(*json.loads(sys.argv[1])))
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--backlog", type=int, default=10_000, metavar="N", help="late posts (10000)")
    parser.add_argument("--readers", type=int, default=8, metavar="N", help="concurrent readers (8)")
    parser.add_argument("--seconds", type=int, default=20, metavar="S", help="duration of each part (20)")


def run(options: argparse.Namespace) -> Result:
    """Measure the other account alone, with the backlog, and in turns without and with the readers."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-fairness-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        store = stack.enter_context(stores.opened("postgresql", folder / "data"))
        url = practice.base_url
        busy, other = (
            asyncio.run(connect(url, store.database, store.seal, _CONNECTIONS, first=first, plan=Plan.STUDIO))
            for first in (0, 100)
        )
        busy_key, other_key = (_key(store, accounts[0].owner) for accounts in (busy, other))
        arrivals = Arrivals(folder / "practice")
        with programs.service(store.serve, url):
            alone, busy_late = _delays(options, store, arrivals, busy, other)
        with programs.service(store.serve, url, more=("--without-workers",)) as service:
            lists = _lists(options, service, busy_key, other_key)
    return Result({**busy_late, **lists["busy"]}, {**alone, **lists["alone"]})


def _key(store: Store, owner: UUID) -> str:
    now = system_clock()
    _, key = store.database.write_now(
        lambda rows: create_key(rows, owner, KeyScope.API_FULL, now + timedelta(days=1), now)
    )
    return key


def _delays(
    options: argparse.Namespace,
    store: Store,
    arrivals: Arrivals,
    busy: Sequence[Account],
    other: Sequence[Account],
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the lateness of the other account alone, and with the backlog."""
    found: list[dict[str, float]] = []
    for name, backlog in (("alone", 0), ("busy", options.backlog)):
        with step(f"posts, {backlog:,} of another account late"):
            start_ms = round(time.time() * 1_000) + _SETTLE_MS
            if backlog:
                late = plan.spread("Backlog", busy, backlog, start_ms - _LATE_BY_MS, _LATE_BY_MS // 2)
                plan.store(store.database, late, system_clock())
                start_ms = round(time.time() * 1_000) + _SETTLE_MS
            posts = plan.spread(
                name, other, options.seconds * _POSTS_PER_S, start_ms, options.seconds * 1_000
            )
            plan.store(store.database, posts, system_clock())
            delays = arrivals.wait(posts, _LONGEST_S)
            found.append({f"{name}_late_ms_p50": delays.p50, f"{name}_late_ms_p99": delays.p99})
            if backlog:
                found[-1]["backlog_left"] = backlog - arrivals.count(late)
    return found[0], found[1]


def _lists(
    options: argparse.Namespace, service: programs.Program, busy_key: str, other_key: str
) -> dict[str, dict[str, float]]:
    """Return the other account's list latency without and with the readers, in turns."""
    taken: dict[str, list[float]] = {"alone": [], "busy": []}
    answers: Counter[str] = Counter()
    with step(f"lists, {options.readers} readers of another account"):
        for name in ("alone", "busy", "alone", "busy"):
            with _reading(service, busy_key, options.readers if name == "busy" else 0, answers):
                taken[name] += _time_lists(service, other_key, time.monotonic() + options.seconds / 2)
    figures = {
        name: {f"{name}_list_ms_p50": percentile(ms, 0.5), f"{name}_list_ms_p95": percentile(ms, 0.95)}
        for name, ms in taken.items()
    }
    figures["alone"] |= {f"reads_{status}": count for status, count in sorted(answers.items())}
    return figures


def _time_lists(service: programs.Program, key: str, until: float) -> list[float]:
    """Return the durations of lists in ms, over one connection."""
    taken = []
    with _client(service.base_url, service.ready["ca_file"], key) as client:
        while time.monotonic() < until:
            began = time.perf_counter()
            client.get("/api/v1/posts", params={"limit": _PAGE}).raise_for_status()
            taken.append((time.perf_counter() - began) * 1_000)
            time.sleep(_PAUSE_S)
    return taken


def _client(base_url: str, ca_file: str, key: str) -> httpx.Client:
    trust = ssl.create_default_context(cafile=ca_file)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=base_url, verify=trust, trust_env=False, timeout=60, headers=headers)


@contextlib.contextmanager
def _reading(service: programs.Program, key: str, readers: int, answers: Counter[str]) -> Iterator[None]:
    """Read lists without a pause during the block, and add up the responses by status."""
    if not readers:
        yield
        return
    told = json.dumps([service.base_url, service.ready["ca_file"], key, readers])
    command = [sys.executable, "-c", _READERS, told]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as reading:
        assert reading.stdin is not None
        assert reading.stdout is not None
        if not reading.stdout.readline():
            sys.exit("The readers did not start.")
        try:
            yield
        finally:
            reading.stdin.close()
            answers.update(json.loads(reading.stdout.readline()))


async def read(base_url: str, ca_file: str, key: str, readers: int) -> None:
    """Read lists until stdin ends, then print how many responses had each status."""
    trust = ssl.create_default_context(cafile=ca_file)
    headers, answers, begun = {"Authorization": f"Bearer {key}"}, Counter[str](), asyncio.Event()
    async with httpx.AsyncClient(
        base_url=base_url, verify=trust, trust_env=False, timeout=60, headers=headers
    ) as client:

        async def one() -> None:
            for _ in itertools.count():
                answer = await client.get("/api/v1/posts", params={"limit": _PAGE})
                answers[str(answer.status_code)] += 1
                begun.set()

        reading = [asyncio.create_task(one()) for _ in range(readers)]
        await begun.wait()
        print("reading", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
    print(json.dumps(answers), flush=True)


BENCHMARK: Final = Benchmark("fairness", _SUMMARY, add_options, run)
