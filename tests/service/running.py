"""A service for tests: the real applications over real TLS on a real store, in a thread of this process."""

import asyncio
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx

from app.contract.base import format_timestamp
from app.contract.enums import ConnectionPlatform, KeyScope
from app.database import Database
from app.platforms.adapters import Adapter
from app.platforms.base import AppCredentials
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.assembly import Parts, assemble
from app.service.clock import Clock, system_clock
from app.service.connections.platforms import Platforms
from app.service.http_server import Server, listen, origin
from app.service.outbound import OutboundClient
from app.service.settings import RunOptions, Settings
from app.service.store.folder import DataFolder
from app.service.store.tables import connections
from app.service.tls import Certificates
from tests.stores import service_store

T = TypeVar("T")
_PATIENCE_S = 60
"""For answers, on a machine that many share."""
_PRACTICE = RunOptions(practice_url="http://practice.invalid", stop_grace=timedelta(seconds=1))


class MovingClock:
    """The machine's time, moved ahead by as much as a test says."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return system_clock() + self.ahead


@dataclass
class Caller:
    """An account with a key, and a client that uses it."""

    service: "RunningService"
    account_id: UUID
    key: str
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = self.service.client({"Authorization": f"Bearer {self.key}"})

    def connect(self, platform: str = "linkedin", **columns: Any) -> str:
        """Stores a connected account directly; gives its id."""
        connection_id = uuid4()
        row = {
            "id": connection_id,
            "account_id": self.account_id,
            "platform": platform,
            "account_identifier": f"person-{connection_id.hex}",
            "display_name": "Robin Marsh",
            "is_available": True,
            "access_token": b"sealed",
            "created_at": self.service.clock(),
            **columns,
        }
        self.service.database.write_now(lambda rows: rows.execute(connections.insert().values(row)))
        return str(connection_id)

    def post_body(self, connection_id: str, **fields: Any) -> dict[str, Any]:
        """A create body that is good, but for what ``fields`` change."""
        return {
            "social_account_id": connection_id,
            "platform": "linkedin",
            "post_type": "text",
            "description": "Hello",
            "scheduled_at": in_hours(1),
            **fields,
        }

    def create(self, connection_id: str, **fields: Any) -> dict[str, Any]:
        """Creates a post that must be accepted."""
        answer = self.http.post("/posts", json=self.post_body(connection_id, **fields))
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()
        return created


@dataclass
class RunningService:
    """The service under test and the means to look behind it."""

    database: Database
    folder: DataFolder
    parts: Parts
    loop: asyncio.AbstractEventLoop
    base_url: str
    callback_url: str
    clock: MovingClock
    trust: ssl.SSLContext
    callers: list[Caller] = field(default_factory=list)

    def client(self, headers: Mapping[str, str]) -> httpx.Client:
        return httpx.Client(
            base_url=f"{self.base_url}/api/v1",
            verify=self.trust,
            headers=headers,
            trust_env=False,
            timeout=_PATIENCE_S,
        )

    def new_caller(
        self, scope: KeyScope = KeyScope.API_FULL, *, expires_at: datetime | None = None, name: str = "Ines"
    ) -> Caller:
        """A new account with a key."""
        account_id = self.database.write_now(
            lambda rows: create_account(rows, name, Plan.LOCAL, self.clock())
        )
        caller = Caller(self, account_id, self.new_key(account_id, scope, expires_at)[1])
        self.callers.append(caller)
        return caller

    def forget_callers(self) -> None:
        """Ends what one test used."""
        while self.callers:
            self.callers.pop().http.close()
        self.clock.ahead = timedelta()

    def new_key(
        self,
        account_id: UUID,
        scope: KeyScope = KeyScope.API_FULL,
        expires_at: datetime | None = None,
    ) -> tuple[UUID, str]:
        now = self.clock()
        return self.database.write_now(lambda rows: create_key(rows, account_id, scope, expires_at, now))

    def await_(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Runs a coroutine where the service runs."""
        return asyncio.run_coroutine_threadsafe(work(), self.loop).result(timeout=60)


@contextmanager
def run_service(
    root: Path,
    adapters: Mapping[ConnectionPlatform, Adapter],
    run: RunOptions = _PRACTICE,
    settings: Settings | None = None,
    *,
    reachable: bool = False,
    clock: Clock | None = None,
) -> Iterator[RunningService]:
    """Starts the applications; the workers stay off, so that rows stay as tests put them.

    ``reachable``: platforms on this computer can fetch files from it. ``clock``: what it goes by in place of
    the machine's time.
    """
    settings = settings or Settings()
    folder = DataFolder(root)
    moving = MovingClock()
    certificates = Certificates(folder.tls, "127.0.0.1", moving)
    context = certificates.context()
    with (
        closing(service_store(root)) as database,
        listen("127.0.0.1", 0) as listener,
        listen("127.0.0.1", 0) as callbacks,
    ):
        if reachable:
            media = settings.media.model_copy(update={"public_origin": origin("https", listener)})
            settings = settings.model_copy(update={"media": media})
        parts = assemble(
            folder,
            database,
            settings,
            Platforms(adapters, dict.fromkeys(adapters, AppCredentials("test-app", "test-secret"))),
            callback_origin=origin("http", callbacks),
            run=run,
            clock=clock or moving,
        )
        servers = (
            Server(
                parts.api,
                listener,
                context,
                settings=settings.listening,
                trusted_proxies=settings.trusted_proxies,
            ),
            Server(parts.callback, callbacks, settings=settings.listening),
        )
        with _serving(servers, parts.outbound) as loop:
            yield RunningService(
                database=database,
                folder=folder,
                parts=parts,
                loop=loop,
                base_url=origin("https", listener),
                callback_url=origin("http", callbacks),
                clock=moving,
                trust=ssl.create_default_context(cafile=certificates.authority_file),
            )


@contextmanager
def _serving(
    servers: Sequence[Server], clients: Sequence[OutboundClient]
) -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="service under test")
    thread.start()
    serving = [asyncio.run_coroutine_threadsafe(server.run_until_stopped(), loop) for server in servers]
    try:
        for server in servers:
            asyncio.run_coroutine_threadsafe(server.up.wait(), loop).result(60)
        yield loop
    finally:
        for server in servers:
            loop.call_soon_threadsafe(server.stop)
        for task in serving:
            task.result(60)
        for client in clients:
            asyncio.run_coroutine_threadsafe(client.close(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def in_hours(hours: float) -> str:
    """A time from now, as the wire has it."""
    return format_timestamp(datetime.now(UTC) + timedelta(hours=hours))
