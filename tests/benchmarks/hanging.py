"""The API and publishing with many hanging clients: silent after the TLS handshake, or within a request.

The clients run in a separate process, so they don't compete for the service's GIL.
"""

import argparse
import asyncio
import contextlib
import json
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

import httpx

from app.contract.enums import KeyScope
from app.service.accounts.accounts import create_key
from app.service.clock import system_clock
from tests.benchmarks.punctuality import plan, programs, stores
from tests.benchmarks.punctuality.accounts import connect
from tests.benchmarks.punctuality.arrivals import Arrivals
from tests.benchmarks.registry import Benchmark, Result
from tests.benchmarks.samples import percentile

_SUMMARY: Final = "API latency and publishing delay while clients hang"
_ACCOUNTS: Final = 6
_POSTS_PER_S: Final = 5
_SETTLE_MS: Final = 1_500
_LONGEST_S: Final = 120
_HALVES: Final = (
    b"POST /api/v1/posts HTTP/1.1\r\nHost: hanging\r\nContent-Type: appli",
    b"POST /api/v1/posts HTTP/1.1\r\nAuthorization: Bearer %s\r\nHost: a\r\nContent-Length: 9\r\n\r\n{",
)
_CLIENTS: Final = """
import asyncio, json, sys
from tests.benchmarks.hanging import hang
asyncio.run(hang(*json.loads(sys.argv[1])))
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--silent", type=int, default=1_000, metavar="N", help="silent connections (1000)")
    parser.add_argument("--half", type=int, default=1_000, metavar="N", help="half-sent requests (1000)")
    parser.add_argument(
        "--seconds", type=int, default=20, metavar="S", help="duration of the measurement (20)"
    )
    parser.add_argument("--files", type=int, default=0, metavar="N", help="hard limit on open files (none)")
    parser.add_argument("--store", choices=stores.NAMES, default="sqlite", help="database (sqlite)")


def run(options: argparse.Namespace) -> Result:
    """Measure alone, then with the clients, which reconnect whenever the service drops them."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-hanging-")))
        practice = stack.enter_context(programs.practice(folder / "practice"))
        store = stack.enter_context(stores.opened(options.store, folder / "data"))
        accounts = asyncio.run(connect(practice.base_url, store.database, store.seal, _ACCOUNTS))
        owner, now = accounts[0].owner, system_clock()
        _, key = store.database.write_now(
            lambda rows: create_key(rows, owner, KeyScope.API_FULL, now + timedelta(days=1), now)
        )
        service = stack.enter_context(programs.service(store.serve, practice.base_url, files=options.files))
        arrivals = Arrivals(folder / "practice")
        figures: dict[str, float] = {}
        for name, counts in (("alone", (0, 0)), ("hanging", (options.silent, options.half))):
            with _clients(service, key, *counts):
                start_ms = round(time.time() * 1_000) + _SETTLE_MS
                posts = plan.spread(
                    name, accounts, options.seconds * _POSTS_PER_S, start_ms, options.seconds * 1_000
                )
                plan.store(store.database, posts, system_clock())
                taken = time_calls(service, key, start_ms / 1_000 + options.seconds)
                late = arrivals.wait(posts, _LONGEST_S)
            figures |= {
                f"{name}_api_ms_p50": percentile(taken, 0.5),
                f"{name}_api_ms_max": max(taken),
                f"{name}_late_ms_p50": late.p50,
                f"{name}_late_ms_max": max(late.late_ms),
            }
    besides = {key: value for key, value in figures.items() if key.startswith("alone")}
    return Result({key: value for key, value in figures.items() if key not in besides}, besides)


def time_calls(service: programs.Program, key: str, until: float) -> list[float]:
    """Return the durations of one account's calls in ms, each with a new connection."""
    trust = ssl.create_default_context(cafile=service.ready["ca_file"])
    taken = []
    while time.time() < until:
        began = time.perf_counter()
        with httpx.Client(verify=trust, trust_env=False, timeout=60) as client:
            answer = client.get(
                f"{service.base_url}/api/v1/posts", headers={"Authorization": f"Bearer {key}"}
            )
        answer.raise_for_status()
        taken.append((time.perf_counter() - began) * 1_000)
        time.sleep(0.1)
    return taken


@contextlib.contextmanager
def _clients(service: programs.Program, key: str, silent: int, half: int) -> Iterator[None]:
    """Run hanging clients during the block. All have connected once before it starts."""
    if not silent + half:
        yield
        return
    told = json.dumps([service.base_url, service.ready["ca_file"], key, silent, half])
    command = [sys.executable, "-c", _CLIENTS, told]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as clients:
        try:
            assert clients.stdout is not None
            if not clients.stdout.readline():
                sys.exit("The hanging clients did not start.")
            yield
        finally:
            programs.end(clients)


async def hang(base_url: str, ca_file: str, key: str, silent: int, half: int) -> None:
    """Hold connections forever, and reopen each when the service closes it."""
    from app.service.gate import raise_descriptor_limit

    raise_descriptor_limit()
    trust = ssl.create_default_context(cafile=ca_file)
    url = httpx.URL(base_url)
    handshakes = asyncio.Semaphore(32)  # the clients share two cores with the service
    connected = [asyncio.Event() for _ in range(silent + half)]

    async def one(number: int) -> None:
        words = b"" if number < silent else _HALVES[number % 2]
        while True:
            with contextlib.suppress(OSError):
                async with handshakes:
                    reader, writer = await asyncio.open_connection(url.host, url.port, ssl=trust)
                connected[number].set()
                writer.write(words % key.encode() if b"%s" in words else words)
                await reader.read()
                writer.transport.abort()
            await asyncio.sleep(1)

    async def tell() -> None:
        await asyncio.gather(*(event.wait() for event in connected))
        print("connected", flush=True)

    await asyncio.gather(tell(), *(one(number) for number in range(silent + half)))


BENCHMARK: Final = Benchmark("hanging", _SUMMARY, add_options, run)
