"""Fetching an export from a server, which may say anything: names and sizes are checked first."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from shutil import disk_usage
from typing import Final
from uuid import UUID

from app.client import ServiceClient
from app.contract.limits import EXPORT_MANIFEST_MAX, EXPORT_MEDIA_MAX, EXPORT_ROWS_MAX
from app.contract.moving import DepartureState
from app.disk import private_folder, replace
from app.language import data_size, tr
from app.workspace.homes.moving.export import MANIFEST
from app.workspace.homes.moving.messages import MoveProgress, Tell, could_not
from app.workspace.messages import Problem

_LOOK_EVERY_S: Final = 0.5
_FILE: Final = re.compile(r"[a-z_]{1,40}\.ndjson|manifest\.json|[0-9a-f]{64}")
_SPARE_BYTES: Final = 256 * 1024**2
"""Space to leave free on this computer's disk."""


async def await_export(client: ServiceClient, words: str) -> UUID:
    """Make the server hand over the account of the key; return it. Raises Problem and ClientError."""
    departure = await client.moving.begin_departure(words)
    while departure.state is not DepartureState.WRITTEN:
        if departure.state is not DepartureState.WRITING:
            if departure.problem:
                raise could_not(client.base_url, departure.problem)
            departure = await client.moving.begin_departure(words)
        await asyncio.sleep(_LOOK_EVERY_S)
        departure = await client.moving.departure()
    return departure.account_id


async def take_back_export(client: ServiceClient) -> None:
    """Make the server serve the account again. Raises ClientError."""
    departure = await client.moving.departure()
    while departure.state is DepartureState.WRITING:
        await asyncio.sleep(_LOOK_EVERY_S)
        departure = await client.moving.departure()
    await client.moving.take_back()


async def fetch_export(client: ServiceClient, folder: Path, tell: Tell) -> None:
    """Fetch the files that aren't in the folder yet. Raises Problem, ClientError and OSError."""
    sizes = await _listed(client)
    await asyncio.to_thread(_require_room, folder, sizes)
    total, done = max(1, sum(sizes.values())), 0
    for name, size in sizes.items():
        tell(MoveProgress(tr("Receiving the calendar"), done / total))
        await _fetch_file(client, name, _place(folder, name), size)
        done += size


async def _fetch_file(client: ServiceClient, name: str, path: Path, size: int) -> None:
    if await asyncio.to_thread(_is_there, path, size):
        return
    await asyncio.to_thread(private_folder, path.parent)
    part = path.with_name(f"{name}.part")
    with await asyncio.to_thread(part.open, "wb") as into:
        await client.moving.fetch(name, into, size)
    await asyncio.to_thread(replace, part, path)


async def _listed(client: ServiceClient) -> dict[str, int]:
    """Return the sizes of the files of an export, which the server may get wrong, by name."""
    sizes: dict[str, int] = {}
    async for page in client.moving.files():
        for file in page.data:
            if not _FILE.fullmatch(file.name):
                continue
            if not 0 <= file.size_bytes <= _most(file.name):
                raise could_not(client.base_url, f"{file.name}: {file.size_bytes:,} bytes")
            sizes[file.name] = file.size_bytes
    return sizes


def _most(name: str) -> int:
    """Return the maximum size of a file, in bytes."""
    if name == MANIFEST:
        return EXPORT_MANIFEST_MAX
    return EXPORT_ROWS_MAX if name.endswith(".ndjson") else EXPORT_MEDIA_MAX


def _require_room(folder: Path, sizes: Mapping[str, int]) -> None:
    """Raise Problem if the disk has no room for the files that aren't there yet. Blocking."""
    private_folder(folder)
    needed = sum(size for name, size in sizes.items() if not _is_there(_place(folder, name), size))
    free = disk_usage(folder).free
    if needed + _SPARE_BYTES > free:
        text = tr(
            "Not enough space on this computer: the calendar needs {needed}, {free} free. Free up space, "
            "then continue. Nothing is lost.",
            needed=data_size(needed + _SPARE_BYTES),
            free=data_size(free),
        )
        raise Problem(text, kind="disk_full")


def _place(folder: Path, name: str) -> Path:
    return folder / name if "." in name else folder / "media" / name[:2] / name


def _is_there(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size
