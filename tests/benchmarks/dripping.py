"""How the API answers while imports drip: 200 are asked for, few are under way, the others are refused."""

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from app.service.options import RunOptions
from tests.benchmarks.registry import Benchmark, Result
from tests.service.media.origins import serving
from tests.service.media.samples import image
from tests.service.running import Caller, run_service

_PER_ACCOUNT: Final = 4
_SETTLE_S: Final = 2.0


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--imports", type=int, default=200, help="how many are asked for at once")
    parser.add_argument("--calls", type=int, default=200, help="other calls that are timed meanwhile")


def _run(options: argparse.Namespace) -> Result:
    run = RunOptions(practice_url="http://practice.invalid", allow_private_network=True)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-"))
        origin = stack.enter_context(serving())
        service = stack.enter_context(run_service(Path(folder), {}, run))
        rest = threading.Event()
        url = origin.add("/slow.png", image() + b"\0" * 9000, rest=rest)
        callers = [service.new_caller() for _ in range(-(-options.imports // _PER_ACCOUNT))]
        watcher = service.new_caller()
        calm = _timed(watcher, options.calls)
        before = _open_files()

        def attach(number: int) -> int:
            caller = callers[number // _PER_ACCOUNT]
            return caller.http.post("/media/attach-from-url", json={"url": url}, timeout=120).status_code

        with ThreadPoolExecutor(options.imports) as pool:
            answers = [pool.submit(attach, number) for number in range(options.imports)]
            time.sleep(_SETTLE_S)
            busy = _timed(watcher, options.calls)
            open_files, under_way = _open_files() - before, len(origin.asked)
            rest.set()
            statuses = Counter(answer.result() for answer in answers)
        service.forget_callers()
    return Result(
        {
            "under_way": under_way,
            "refused": statuses[429],
            "stored": statuses[200],
            "open_files_more": open_files,
            "call_p99_ms": busy[int(len(busy) * 0.99) - 1],
            "call_max_ms": busy[-1],
        },
        besides={"calm_call_p99_ms": calm[int(len(calm) * 0.99) - 1], "calm_call_max_ms": calm[-1]},
    )


def _timed(caller: Caller, calls: int) -> list[float]:
    """How long calls of an account without imports take, in ms, the shortest first."""
    took = []
    for _ in range(calls):
        begun = time.perf_counter()
        caller.http.get("/usage").raise_for_status()
        took.append((time.perf_counter() - begun) * 1000)
    return sorted(took)


def _open_files() -> int:
    """Those of this process, which is service and clients alike; 0 where the system doesn't tell."""
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


BENCHMARK = Benchmark("dripping", "The API while 200 imports drip", _add_options, _run)
