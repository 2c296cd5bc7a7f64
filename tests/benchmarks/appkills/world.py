"""The service and practice platforms of the app, with two connected accounts."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from PIL import Image

from app.contract.enums import ConnectionPlatform
from app.desktop.application import Application, Elsewhere
from app.workspace.workspace import Workspace
from tests.benchmarks.appkills.line import line
from tests.benchmarks.appkills.lives import End, live
from tests.benchmarks.appkills.program import Place, be_the_app
from tests.workspace.programs import RealService, consent, follow, real_service

PLATFORMS: Final = (ConnectionPlatform.LINKEDIN, ConnectionPlatform.X)


@dataclass(frozen=True, slots=True)
class World:
    """A folder for files, the remote service, and the file that controls the connection to it.

    Without a service, the app has an embedded one in ``folder / "app"``.
    """

    folder: Path
    service: Elsewhere | None
    line: Path | None

    def place(self, name: str) -> Place:
        """Return the app's data folder: with a remote service, a new one for each name."""
        return Place(self.folder / ("app" if self.service is None else f"app-{name}"), self.service)


@contextmanager
def away(folder: Path) -> Iterator[World]:
    """Provide a remote service behind a connection that can be cut."""
    with real_service(folder / "programs", "--rate-limit", "off") as service:
        asyncio.run(_connect_at(service, folder))
        target, state = urlsplit(service.base_url), folder / "line"
        key_file = folder / "key"
        key_file.write_text(service.key)
        with line(target.hostname or "", target.port or 0, state) as port:
            yield World(folder, Elsewhere(f"https://127.0.0.1:{port}", key_file), state)


@contextmanager
def here(folder: Path) -> Iterator[World]:
    """Provide an embedded service, which the app starts and stops."""
    world = World(folder, None, None)

    async def found(application: Application) -> None:
        await application.begin_here(practice=True)
        assert application.controller is not None
        await _connect(application.controller.workspace)
        application.window.close()

    live(lambda pipe: be_the_app(world.place(""), pipe, found), End())
    yield world


def pictures(folder: Path, count: int) -> list[Path]:
    """Create different image files."""
    paths = [folder / f"picture {number} ☀.png" for number in range(count)]
    for number, path in enumerate(paths):
        Image.effect_noise((200 + number, 200), 50.0 + number).convert("RGB").save(path)
    return paths


async def _connect_at(service: RealService, folder: Path) -> None:
    workspace = await Workspace.open(service.client(), folder / "connecting.db", name="Storm")
    try:
        await _connect(workspace)
    finally:
        await workspace.close()


async def _connect(workspace: Workspace) -> None:
    for platform in PLATFORMS:
        flow = await workspace.flows.begin(platform)
        await asyncio.to_thread(_allow, flow.url)
        await flow.account()


def _allow(url: str) -> None:
    """Give consent in place of the browser."""
    follow(consent(url, "allow"))


assert os.name == "posix", "there is no fork"
