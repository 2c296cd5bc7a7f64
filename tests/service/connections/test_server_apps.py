"""Apps that are registered at servers, by two flows that begin at the same time."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import AppCredentials
from app.service.clock import system_clock
from app.service.connections.server_apps import ServerApps
from app.service.store.seal import Seal
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH

PLATFORM = ConnectionPlatform("mastodon")
SERVER, BACK = "https://social.example", "https://planner.example/callback"


class Server:
    """Registers apps; each call waits until all ``flows`` have called."""

    platform = PLATFORM

    def __init__(self, flows: int) -> None:
        self._all_here = asyncio.Barrier(flows)
        self.registered = 0
        self.forgotten: set[str] = set()

    async def knows(self, app: AppCredentials) -> bool:
        return app.client_id not in self.forgotten

    async def register(self, server: str, _redirect_uri: str) -> AppCredentials:
        self.registered += 1
        app = AppCredentials(f"app-{self.registered}", "secret", server=server)
        await self._all_here.wait()
        return app


@pytest.mark.parametrize("is_forgotten", [False, True], ids=["first", "forgotten"])
async def test_two_flows_at_one_server_get_the_same_app(tmp_path: Path, is_forgotten: bool) -> None:
    """Consent is exchanged with the app that is stored, so it must be the one that was asked for."""
    with closing(service_store(tmp_path)) as one, closing(service_store(tmp_path)) as other:
        programs = [ServerApps(database, Seal(bytes(32)), system_clock) for database in (one, other)]
        if is_forgotten:
            alone: Any = Server(1)
            await programs[0].ready(alone, SERVER, BACK)
        server: Any = Server(2)
        server.forgotten.add("app-1" if is_forgotten else "")
        server.registered = int(is_forgotten)
        given = await asyncio.gather(*(apps.ready(server, SERVER, BACK) for apps in programs))
        stored = await programs[0].registered(PLATFORM, SERVER, BACK)
    assert given == [stored, stored]
    assert stored.client_id not in server.forgotten
