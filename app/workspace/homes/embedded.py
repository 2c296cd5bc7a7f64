"""The service on this computer: set up once, started with the app, and kept running."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import structlog

from app.language import tr
from app.workspace.homes import programs
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.registry import Home, Homes
from app.workspace.messages import Problem
from app.workspace.network import Network
from app.workspace.threads import in_thread

_log = structlog.get_logger(__name__)

_RESTART_AFTER_S = 1.0
"""Delay before restarting a service that ended soon, or didn't start, in s."""
_STEADY_S = 3.0
"""Uptime in s after which a service is restarted without delay, because posts may be due."""
_TRIES = 3
_FOLDER_IN_USE = 75  # exit codes of our programs, listed in docs/service.md
_PORT_TAKEN = 69
_KEY_NAME = "The Kalends app"

Progress = Callable[[str], None]


class EmbeddedService:
    """Runs one home's ``kalends-service``, with ``kalends-practice`` for a practice home."""

    def __init__(
        self,
        homes: Homes,
        credentials: Credentials,
        home: Home,
        network: Network | None = None,
        ahead: programs.Program | None = None,
    ) -> None:
        """The service reaches platforms through ``network``; without one, directly.

        ``ahead`` is the service if it's already started; it waits for the proxy to use.
        """
        self.home = home
        self.on_moved: Callable[[], object] = lambda: None
        """Called when the service was restarted at another address, because its port was taken."""
        self._network = network
        self._homes = homes
        self._credentials = credentials
        self._folder = homes.folder(home)
        self._practice: programs.Program | None = None
        self._service: programs.Program | None = None
        self._launching: programs.Program | None = None
        self._ahead = ahead
        self._is_stopping = False
        self._watcher: asyncio.Task[None] | None = None
        self._told = ""

    @property
    def practice_url(self) -> str:
        """URL of the practice platforms of a practice home."""
        return f"http://127.0.0.1:{self.home.practice_port}"

    @property
    def service_pid(self) -> int | None:
        """Process ID of the service, once it was started."""
        return self._service.pid if self._service else None

    @property
    def is_running(self) -> bool:
        """Whether the service is running."""
        return self._service is not None and self._service.running

    async def start(self, progress: Progress) -> Home:
        """Set up what's missing, start the processes, and return the home with its URL.

        Raises Problem if it can't start, in the service's own words if it says anything.
        """
        with as_problem():
            await self._start(progress)
        return self.home

    async def _start(self, progress: Progress) -> None:
        if await self._credentials.find(self.home.id) is None:
            progress(tr("Setting up the calendar on this computer"))
            await self._stop_ahead()  # keys are created while no service runs
            await self._make_key()
        if self.home.practice:
            progress(tr("Starting the practice platforms"))
            await self._start_practice()
        progress(tr("Starting the service"))
        await self._start_service()
        if not self._is_stopping:  # an abandoned start gets this far, and must not bring the service back
            self._watcher = asyncio.create_task(self._keep_running(), name="embedded service")

    async def stop(self) -> None:
        """Stop everything, also during a start. Accepted posts are on disk."""
        self._is_stopping = True
        if self._watcher is not None:
            self._watcher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watcher
        await self._stop_ahead()
        for program in (self._launching, self._service, self._practice):
            if program is not None:
                await asyncio.to_thread(program.stop)

    async def _stop_ahead(self) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            await asyncio.to_thread(ahead.stop)

    def tell_proxy(self) -> None:
        """Send the current proxy to the running service. A later start gets it anyway."""
        if self._network is not None and self._service is not None:
            self._say_proxy(self._service, self._network)

    def _say_proxy(self, service: programs.Program, network: Network) -> None:
        if (line := network.line()) != self._told:
            self._told = line
            service.say(line)

    async def _make_key(self) -> None:
        data = str(self._folder / "service")
        account = await self._restored_account(data)
        if account is None:
            name = ["--name", self.home.name, "--plan", "local"]
            account = await asyncio.to_thread(
                programs.ask, "service", "account", "create", "--data", data, *name
            )
        owner = ["--account", account["account_id"], "--name", _KEY_NAME]
        key = await asyncio.to_thread(programs.ask, "service", "key", "create", "--data", data, *owner)
        await self._credentials.keep(self.home.id, key["key"])

    async def _restored_account(self, data: str) -> dict[str, Any] | None:
        """The account that owns everything in a service restored from another computer without its key."""
        if not await asyncio.to_thread((self._folder / "service" / "service.db").exists):
            return None
        told = await asyncio.to_thread(programs.ask, "service", "account", "list", "--data", data)
        return next(iter(told["accounts"]), None)

    async def _start_practice(self) -> None:
        self._practice, ready = await self._launch("practice", self.home.practice_port)
        await self._keep_home(practice_port=_port(ready))

    async def _start_service(self) -> None:
        more = ["--practice-url", self.practice_url] if self.home.practice else []
        if await asyncio.to_thread(is_allowed, self._folder):
            more.append("--home-network")
        if self._network is not None:
            more.append(programs.PROXY_FROM_STDIN)
        self._service, ready = await self._launch("service", self.home.service_port, *more)
        self.tell_proxy()  # another proxy may have been chosen in the meantime
        await self._keep_home(
            service_port=_port(ready), base_url=ready["base_url"], ca_file=Path(ready["ca_file"])
        )

    async def _keep_home(self, **changes: Any) -> None:
        name = await asyncio.to_thread(self._homes.name_of, self.home)
        self.home = self.home.model_copy(update={**changes, "name": name})
        await asyncio.to_thread(self._homes.keep, self.home)

    async def _launch(self, name: str, port: int, *more: str) -> tuple[programs.Program, dict[str, Any]]:
        """Start a program, on another port if its port is in use.

        It waits for a predecessor that is stopping. It is retried if several were killed in a row, or if it
        was killed itself, because posts may be due.
        """
        for _ in range(_TRIES - 1):
            try:
                return await self._serve(name, port, *more)
            except programs.ProgramEndedError as ended:
                if self._is_stopping:
                    raise
                if ended.exit_code == _PORT_TAKEN:
                    port = 0
                elif ended.exit_code != _FOLDER_IN_USE and not ended.was_killed:
                    raise
        return await self._serve(name, port, *more)

    async def _serve(self, name: str, port: int, *more: str) -> tuple[programs.Program, dict[str, Any]]:
        program: programs.Program | None = None
        if name == "service":
            program, self._ahead = self._ahead, None

        def launch() -> programs.Program:
            self._launching = program or programs.serve(name, self._folder, port, *more)
            return self._launching

        program = await in_thread(launch)  # also if this is cancelled, so that `stop` finds what was started
        if self._is_stopping:
            await asyncio.to_thread(program.stop)
        if self._network is not None and name == "service":
            self._told = ""
            self._say_proxy(program, self._network)
        ready = await asyncio.to_thread(program.ready)
        self._launching = None  # stored even if this is cancelled, so that `stop` finds it
        return program, ready

    async def _keep_running(self) -> None:
        """Restart the service whenever it ends, so that due posts are published after a crash."""
        has_failed = False
        while self._service is not None:
            ready_at = time.monotonic()
            exit_code = await asyncio.to_thread(self._service.wait)
            was_steady = time.monotonic() - ready_at >= _STEADY_S
            await asyncio.to_thread(self._service.stop)
            _log.warning("the embedded service ended and is started again", exit_code=exit_code)
            # It may also end without an error so that a new version can take over.
            if has_failed or (exit_code and not was_steady):
                await asyncio.sleep(_RESTART_AFTER_S)
            address = self.home.base_url
            try:
                with as_problem():
                    await self._start_service()
                has_failed = False
                if self.home.base_url != address:
                    self.on_moved()
            except Problem as problem:
                has_failed = True
                _log.warning("the embedded service was not started again", reason=problem.text)


@contextlib.contextmanager
def as_problem() -> Iterator[None]:
    """Log any other error of a start, and raise a Problem instead."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        _log.exception("the embedded service did not start")
        text = tr(
            "The service on this computer couldn't be started. Try again. If that doesn't help, restart the "
            "computer."
        )
        raise Problem(text, details=f"{type(error).__name__}: {error}") from error


def _port(ready: dict[str, Any]) -> int:
    return urlsplit(ready["base_url"]).port or 0


_NAME: Final = "home-network"


def is_allowed(folder: Path) -> bool:
    """Whether it's allowed; ``folder`` is the home's."""
    return (folder / _NAME).exists()


def allow(folder: Path, *, on: bool) -> None:
    """Store the choice for the next start of the service. Raises OSError."""
    if on:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _NAME).touch()
    else:
        (folder / _NAME).unlink(missing_ok=True)
