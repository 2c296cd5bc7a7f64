"""A server for moving calendars that says what a test wants."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.workspace.homes import Home, HomeKind, Homes
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import Direction, MoveNote
from app.workspace.network import Network
from tests.client.raw_service import KEY, answering

ACCOUNT, EXPORT = str(uuid4()), str(uuid4())
Answer = Callable[[str, str], Any]
"""The JSON, or the bytes, for a method and a path."""


@dataclass
class Scripted:
    """A server whose responses are made up, and the paths that were requested."""

    base: str
    asked: list[str]

    async def move(self, data: Path, direction: Direction) -> Move:
        homes, credentials = Homes(data), Credentials(data)
        kind = HomeKind.EMBEDDED if direction is Direction.THERE else HomeKind.REMOTE
        home = Home(kind=kind, name="Okafor Studio", base_url=self.base if kind is HomeKind.REMOTE else "")
        await credentials.keep(home.id, KEY)
        shown = await presented_certificate(self.base)
        move = Move(homes, credentials, Network(data, credentials.secrets), home)
        note = MoveNote(direction=direction, base_url=self.base, pinned_certificate=shown.pem)
        await move.begin(note, KEY if direction is Direction.THERE else "")
        return move


@asynccontextmanager
async def scripted(folder: Path, answer: Answer) -> AsyncIterator[Scripted]:
    asked: list[str] = []

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = service.heads[-1]
        length = next(
            (line[15:] for line in head.lower().splitlines() if line[:15] == "content-length:"), "0"
        )
        await reader.readexactly(int(length))
        method, path, _ = head.split(" ", 2)
        path = path.partition("?")[0].removeprefix("/companion/v1")
        asked.append(f"{method} {path}")
        given = answer(method, path)
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async with answering(folder, say) as service:
        yield Scripted(service.base, asked)


def quiet(_progress: MoveProgress) -> None:
    """Nobody looks at the progress."""
