"""The API and publishing during slow imports: 200 are requested, a few run, the others are rejected."""

import argparse
import asyncio
import contextlib
import ssl
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from pathlib import Path
from typing import Final

import httpx

from app.contract.enums import KeyScope
from app.database import Database
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from tests.benchmarks.hanging import time_calls
from tests.benchmarks.punctuality import plan, programs, stores
from tests.benchmarks.punctuality.accounts import connect
from tests.benchmarks.punctuality.arrivals import Arrivals
from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile
from tests.service.media.origins import serving
from tests.service.media.samples import image

_ACCOUNTS: Final = 6
_PER_ACCOUNT: Final = 4
_POSTS_PER_S: Final = 5
_SETTLE_MS: Final = 2_500
_LONGEST_S: Final = 120


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--imports", type=int, default=200, metavar="N", help="number of imports (200)")
    parser.add_argument(
        "--seconds", type=int, default=20, metavar="S", help="duration of the measurement (20)"
    )
    parser.add_argument("--store", choices=stores.NAMES, default="sqlite", help="database (sqlite)")


def _run(options: argparse.Namespace) -> Result:
    """Measure alone, then during the imports. The posts belong to accounts without imports."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-dripping-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        store = stack.enter_context(stores.opened(options.store, folder / "data"))
        accounts = asyncio.run(connect(practice.base_url, store.database, store.seal, _ACCOUNTS))
        keys = _keys(store.database, 1 + -(-options.imports // _PER_ACCOUNT))
        service = stack.enter_context(
            programs.service(store.serve, practice.base_url, more=("--allow-private-network",))
        )
        arrivals = Arrivals(folder / "practice")
        figures: dict[str, float] = {}
        before = service.process.num_fds()
        for name, count in (("alone", 0), ("dripping", options.imports)):
            with _importing(service, keys[1:], count) as imports:
                start_ms = round(time.time() * 1_000) + _SETTLE_MS
                length_ms = options.seconds * 1_000
                posts = plan.spread(name, accounts, options.seconds * _POSTS_PER_S, start_ms, length_ms)
                plan.store(store.database, posts, system_clock())
                time.sleep(_SETTLE_MS / 1_000)
                taken = time_calls(service, keys[0], start_ms / 1_000 + options.seconds)
                late = arrivals.wait(posts, _LONGEST_S)
                under_way, more = imports.under_way(), service.process.num_fds() - before
            figures |= {
                f"{name}_api_ms_p50": percentile(taken, 0.5),
                f"{name}_api_ms_max": max(taken),
                f"{name}_late_ms_p50": late.p50,
                f"{name}_late_ms_max": max(late.late_ms),
            }
        figures |= {"under_way": under_way, "refused": imports.statuses()[429], "open_files_more": more}
    besides = {key: value for key, value in figures.items() if key.startswith("alone")}
    return Result({key: value for key, value in figures.items() if key not in besides}, besides)


class _Imports:
    """Calls that import stalled files until they're released."""

    def __init__(self, calls: Sequence["Future[int]"]) -> None:
        self._calls = calls

    def under_way(self) -> int:
        """Return the number of calls without a response."""
        return sum(not call.done() for call in self._calls)

    def statuses(self) -> Counter[int]:
        """Return the number of responses by status, once all have arrived."""
        return Counter(call.result() for call in self._calls)


@contextlib.contextmanager
def _importing(service: programs.Program, keys: Sequence[str], count: int) -> Iterator[_Imports]:
    """Request imports during the block, then let them finish."""
    trust = ssl.create_default_context(cafile=service.ready["ca_file"])
    with (
        serving() as origin,
        ThreadPoolExecutor(max(1, count)) as pool,
        httpx.Client(
            verify=trust,
            trust_env=False,
            timeout=_LONGEST_S,
            limits=httpx.Limits(max_connections=None),
        ) as client,
    ):
        rest = threading.Event()
        url = origin.add("/slow.png", image() + b"\0" * 20_000, rest=rest)

        def attach(number: int) -> int:
            headers = {"Authorization": f"Bearer {keys[number // _PER_ACCOUNT]}"}
            address = f"{service.base_url}/api/v1/media/attach-from-url"
            return client.post(address, json={"url": url}, headers=headers).status_code

        calls = [pool.submit(attach, number) for number in range(count)]
        try:
            yield _Imports(calls)
        finally:
            rest.set()
            wait(calls)  # before the client is closed


def _keys(database: Database, count: int) -> list[str]:
    """Create accounts and return their keys."""
    now = system_clock()
    until = now + timedelta(days=1)

    def work(number: int) -> str:
        return database.write_now(
            lambda rows: create_key(
                rows,
                create_account(rows, f"Importer {number}", Plan.LOCAL, now),
                KeyScope.API_FULL,
                until,
                now,
            )
        )[1]

    return [work(number) for number in range(count)]


BENCHMARK = Benchmark("dripping", "API and publishing latency during slow imports", _add_options, _run)
