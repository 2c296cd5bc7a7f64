"""Sending an export to a server, until it has imported it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from app.client import ServiceClient
from app.contract.moving import Arrival, ArrivalState
from app.language import tr
from app.workspace.homes.moving.export import LocalExport
from app.workspace.homes.moving.messages import MoveProgress, Tell, could_not
from app.workspace.messages import Problem

_LOOK_EVERY_S: Final = 0.5


@dataclass
class Sender:
    """Sends the export of an account.

    Args:
        client: The server.
        export: The export on this computer.
        tell: Called with the progress.
        before_import: Awaited each time before the server is asked to import the export.
    """

    client: ServiceClient
    export: LocalExport
    tell: Tell
    before_import: Callable[[], Awaitable[object]]

    async def send(self, account: UUID, words: str) -> None:
        """Send the export until it has arrived. Raises Problem, ClientError and OSError."""
        export_id, manifest = await self.export.read_manifest(account)
        sizes = await asyncio.to_thread(_sizes, self.export.folder(account))
        files = _Files(self.client, sizes, self.tell)
        arrival, has_begun = await self.client.moving.offer(manifest), False
        while arrival.state is not ArrivalState.ARRIVED or arrival.export_id != export_id:
            if arrival.state in {ArrivalState.ARRIVED, ArrivalState.CANCELLED}:
                raise Problem(tr("The move was cancelled. Cancel it here too, then start again."))
            if arrival.missing:
                await files.send(arrival)
                arrival = await self.client.moving.arrival()
            elif arrival.state is ArrivalState.RECEIVING:
                if has_begun and arrival.problem:
                    raise could_not(self.client.base_url, arrival.problem)
                await self.before_import()
                arrival, has_begun = await self.client.moving.begin_import(words), True
            else:
                self.tell(MoveProgress(tr("The server is unpacking the calendar"), arrival.done))
                await asyncio.sleep(_LOOK_EVERY_S)
                arrival = await self.client.moving.arrival()


@dataclass
class _Files:
    """Sends missing files, and says how many bytes of all are there."""

    client: ServiceClient
    sizes: dict[str, tuple[Path, int]]
    tell: Tell
    _sent: set[str] = field(default_factory=set)

    async def send(self, arrival: Arrival) -> None:
        """Send what is missing. Raises Problem if the server asks for a file again, or for another one."""
        total = max(1, sum(size for _, size in self.sizes.values()))
        left = sum(self.sizes[name][1] for name in arrival.missing if name in self.sizes)
        for name in arrival.missing:
            if name not in self.sizes:
                raise could_not(self.client.base_url, f"{name} isn't part of the export.")
            if name in self._sent:
                raise could_not(self.client.base_url, f"{name} was sent, and is missing.")
            path, size = self.sizes[name]

            def note(sent: int, left: int = left) -> None:
                self.tell(MoveProgress(tr("Sending the calendar"), max(0.0, 1 - (left - sent) / total)))

            await self.client.moving.send(name, path, note)
            self._sent.add(name)
            left -= size


def _sizes(folder: Path) -> dict[str, tuple[Path, int]]:
    return {file.name: (file, file.stat().st_size) for file in folder.rglob("*") if file.is_file()}
