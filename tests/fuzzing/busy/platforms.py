"""Random responses of platforms, and how long they block the service's event loop."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.adapters import Adapter
from app.platforms.base import AppCredentials, PlatformError, Publication
from app.platforms.registry import build_adapters
from app.platforms.wire import Timeouts
from app.service.lifetime import tune
from tests.architecture.sources import ROOT
from tests.fuzzing.busy.findings import Finding, Findings
from tests.fuzzing.busy.lag import LoopLag
from tests.fuzzing.busy.memory import resident_mb

_TIMEOUTS = Timeouts(connect=5, read=5, total=5, first_look=0.01, last_look=0.05)
_APP = AppCredentials("app", "secret")
_ACCOUNTS = {
    ConnectionPlatform.LINKEDIN: "urn:li:organization:12345678",
    ConnectionPlatform.PINTEREST: "123456",
}

Work = Callable[[Adapter, str], Awaitable[Any]]


def _publication(account: str) -> Publication:
    return Publication(
        account_identifier=account,
        username="robin",
        access_token="a-token-of-somebody",
        post_type=PostType.TEXT,
        title=None,
        text="Good morning, see https://example.com",
    )


_WORKS: dict[str, Work] = {
    "profiles": lambda adapter, _account: adapter.profiles("a-token"),
    "look back": lambda adapter, account: adapter.look_back(
        _publication(account), since=datetime.now(UTC) - timedelta(minutes=5), known=()
    ),
    "metrics": lambda adapter, account: adapter.metrics("a-token", account, ["1", "2_3", "urn:li:share:4"]),
    "refresh": lambda adapter, _account: adapter.refresh(_APP, "a-refresh-token"),
    "publish": lambda adapter, account: adapter.publish(_publication(account)),
}


def fuzz(seed: int, count: int) -> Findings:
    """Send ``count`` calls to platforms with random responses. Raises unexpected adapter errors."""
    command = [sys.executable, "-m", "tests.fuzzing.busy.answering", str(seed)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        url = json.loads(program.stdout.readline())
        tune()
        try:
            return asyncio.run(_ask(url, Random(seed), count))  # noqa: S311  not for security
        finally:
            program.stdin.close()


async def _ask(url: str, random: Random, count: int) -> Findings:
    findings, before = Findings(), resident_mb()
    async with build_adapters(url, timeouts=_TIMEOUTS) as adapters:
        lag = LoopLag()
        for number in range(count):
            platform = random.choice(list(adapters))
            name, work = random.choice(list(_WORKS.items()))
            try:
                await work(adapters[platform], _ACCOUNTS.get(platform, "1234567890"))
                outcome = "understood"
            except PlatformError as error:
                outcome = f"{error.kind.name}, {error.code}"
            await asyncio.sleep(0.002)
            findings.add(
                Finding(number, f"{platform}, {name}", outcome, lag.take_ms(), resident_mb() - before)
            )
        lag.stop()
    return findings
