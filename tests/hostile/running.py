"""The other service as a process, and the app's window with one of its workspaces."""

import asyncio
import json
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings

from app.client import RetryPolicy, ServiceClient
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.workspace.clock import Pace, to_millis
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from app.workspace.store.tables import MIGRATIONS
from app.workspace.workspace import Workspace
from tests.architecture.sources import ROOT
from tests.desktop.running import shown
from tests.hostile.world import KEY
from tests.migrated import lay

ZONE = ZoneInfo("Europe/Lisbon")
PACE = Pace(
    tick=0.01,
    poll_active=0.3,
    poll_idle=0.3,
    due_delay=0,
    due_repeat=0.2,
    due_repeat_max=1,
    backoff=0.01,
    backoff_max=0.05,
    publish_hold=0.01,
    connection_poll=0.02,
)
_RETRIES = RetryPolicy(attempts=3, total=5, wait_initial=0.005, wait_max=0.02, rate_limit_max=0.5)
_LATEST = datetime(9999, 12, 30, 23, 59, 59, 999_000, UTC)
"""The app's limit for times, because zones east of Greenwich have no later day."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A service's URL, and its trusted certificate."""

    address: str
    trust: ssl.SSLContext

    def client(self) -> ServiceClient:
        return ServiceClient(self.address, KEY, ssl_context=self.trust, retries=_RETRIES)

    async def state(self) -> "State":
        """Return the current state of its world."""
        return State(**await asyncio.to_thread(self._ask))

    async def heal(self) -> None:
        """Make the service behave correctly from now on."""
        await asyncio.to_thread(self._get, "heal")

    def _ask(self) -> Any:
        return self._get("state")

    def _get(self, what: str) -> Any:
        with urlopen(f"{self.address}/{what}", context=self.trust, timeout=20) as answer:  # noqa: S310  our own server
            return json.load(answer)


@dataclass(frozen=True, slots=True)
class State:
    """What the app should show at the end. ``posts`` has time and status by ID."""

    posts: dict[str, tuple[str, str]]
    connections: int
    files: int
    history: int
    metrics: int
    webhooks: int

    def planned(self) -> Counter[tuple[int, str]]:
        """Return times in ms and statuses of all posts."""
        return Counter(
            (to_millis(min(datetime.fromisoformat(at.upper()), _LATEST)), status)
            for at, status in self.posts.values()
        )


class Service:
    """The process. Each visit has its own world."""

    def __init__(self, port: int, trust: ssl.SSLContext) -> None:
        self._port, self._trust, self._visits = port, trust, 0

    def visit(self, variation: str) -> Elsewhere:
        """Return the service with a variation."""
        self._visits += 1
        return Elsewhere(f"https://127.0.0.1:{self._port}/{variation}.{self._visits}", self._trust)


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """Run the process."""
    certificate = folder / "authority.pem"
    command = [sys.executable, "-m", "tests.hostile.server", str(certificate)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Service(port, ssl.create_default_context(cafile=certificate))
        assert process.stdin is not None
        process.stdin.close()


@asynccontextmanager
async def controller(elsewhere: Elsewhere, folder: Path) -> AsyncIterator[MainController]:
    """Open a window, before anything is known about the service."""
    path = folder / "workspace.db"
    lay(path, MIGRATIONS)
    opened = await Workspace.open(elsewhere.client(), path, name="Elsewhere", pace=PACE)
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), ZONE)
    try:
        async with shown(window, (1280, 800)):
            home = Home(kind=HomeKind.REMOTE, name="Elsewhere", base_url=elsewhere.address)
            made = MainController(window, opened, home, ZONE)
            try:
                yield made
            finally:
                made.close()
    finally:
        await opened.close()
