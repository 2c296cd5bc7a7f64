"""The service with event loop measurement: ``python -m tests.fuzzing.busy.served FOLDER``.

Prints its address as a line of JSON, then the measurements since the last line it reads.
"""

import json
import logging
import sys
from contextlib import ExitStack
from pathlib import Path

from app.contract.enums import ConnectionPlatform
from app.service.lifetime import tune
from app.service.logs import configure_logs
from app.service.settings import RunOptions
from tests.fuzzing.busy.lag import LoopLag
from tests.fuzzing.busy.memory import resident_mb
from tests.service.platforms import ScriptedAdapter
from tests.service.running import run_service

PLATFORMS = (ConnectionPlatform.LINKEDIN, ConnectionPlatform.X)


async def _measure() -> LoopLag:
    return LoopLag()


def main(folder: Path) -> None:
    """Serve until standard input ends."""
    configure_logs("ERROR")
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # it logs every oversized request
    adapters = {platform: ScriptedAdapter(platform) for platform in PLATFORMS}
    run = RunOptions(practice_url="http://practice.invalid", rate_limit=False)
    with ExitStack() as stack:
        service = stack.enter_context(run_service(folder, adapters, run))
        stack.callback(service.forget_callers)
        caller = service.new_caller()
        accounts = {platform: caller.connect(platform) for platform in PLATFORMS}
        caller.http.get("/usage").raise_for_status()
        tune()
        lag = service.await_(_measure)
        ready = {
            "base_url": service.base_url,
            "callback_url": service.callback_url,
            "ca_file": str(service.folder.tls / "ca.pem"),
            "key": caller.key,
            "accounts": accounts,
        }
        print(json.dumps(ready), flush=True)
        for _ in sys.stdin:
            print(json.dumps({"lag_ms": lag.take_ms(), "resident_mb": resident_mb()}), flush=True)
        service.loop.call_soon_threadsafe(lag.stop)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
