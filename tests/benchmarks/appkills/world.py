"""The service and the practice platforms beside which the app lives, with two accounts that are connected."""

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
    """A folder for files, the service elsewhere, and the file that says how the line to it is.

    Without a service the app has one of its own, in ``folder / "app"``.
    """

    folder: Path
    service: Elsewhere | None
    line: Path | None

    def place(self, name: str) -> Place:
        """Where an app lives; with a service elsewhere in a new folder for each name."""
        return Place(self.folder / ("app" if self.service is None else f"app-{name}"), self.service)


@contextmanager
def away(folder: Path) -> Iterator[World]:
    """A service elsewhere, at the end of a line that can be cut."""
    with real_service(folder / "programs", "--rate-limit", "off") as service:
        asyncio.run(_connect_at(service, folder))
        target, state = urlsplit(service.base_url), folder / "line"
        key_file = folder / "key"
        key_file.write_text(service.key)
        with line(target.hostname or "", target.port or 0, state) as port:
            yield World(folder, Elsewhere(f"https://127.0.0.1:{port}", key_file), state)


@contextmanager
def here(folder: Path) -> Iterator[World]:
    """A service of this computer, which the app starts and ends."""
    world = World(folder, None, None)

    async def found(application: Application) -> None:
        await application.begin_here(practice=True)
        assert application.house is not None
        await _connect(application.house.workspace)
        application.window.close()

    live(lambda pipe: be_the_app(world.place(""), pipe, found), End())
    yield world


def pictures(folder: Path, count: int) -> list[Path]:
    """Picture files, each another one."""
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
    """What a person does in the browser."""
    follow(consent(url, "allow"))


assert os.name == "posix", "there is no fork"
