"""The files named in a table: on this computer, on the web, or already stored."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from app.contract.enums import PostType
from app.language import tr
from app.workspace.catalogues import KeptFile
from app.workspace.exchange.csv_checking import KnownFile, is_address
from app.workspace.media.imports import Import, Imports, ImportState
from app.workspace.media.local_file import LocalFile
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem
from app.workspace.rules import MediaFacts

_SHOWN_MAX: Final = 60
_LOOK_EVERY_S: Final = 0.5
"""Interval of checks in s, because a removed upload causes no notification."""


class CellFiles:
    """Inspects and uploads each file once, even if several rows name it."""

    def __init__(self, media: Media, folder: Path) -> None:
        """Relative paths are resolved against the folder."""
        self._media = media
        self._folder = folder
        self._local: dict[str, LocalFile] = {}
        self._stored: dict[str, KeptFile] = {}

    async def look_at(self, cells: Iterable[str]) -> dict[str, KnownFile]:
        """Return the facts about local and stored files, by cell. Raises Problem."""
        named = {cell for cell in cells if cell and not is_address(cell)}
        elsewhere = {cell for cell in named if _is_elsewhere(cell)}
        wanted = named - elsewhere
        fresh = sorted(wanted - self._local.keys() - self._stored.keys())
        stored = {file.storage_path: file for file in await self._media.catalogue(fresh)} if fresh else {}
        self._stored |= stored
        paths = {cell: _path(cell, self._folder) for cell in fresh if cell not in stored}
        found = await self._media.look_at(list(paths.values()))
        self._local |= dict(zip(paths, found, strict=True))
        here = {cell: _of_local(file) for cell, file in self._local.items() if cell in wanted}
        there = {cell: _of_stored(file) for cell, file in self._stored.items() if cell in wanted}
        return here | there | {cell: _not_looked_at(cell) for cell in elsewhere}

    async def bring(self, cell: str) -> KeptFile:
        """Return the file once it is stored. Raises Problem; if cancelled, it removes its upload."""
        if cell in self._stored:
            return self._stored[cell]
        path = await (self._import(cell) if is_address(cell) else self._upload(self._local[cell]))
        kept = {file.storage_path: file for file in await self._media.catalogue([path])}
        if path not in kept:
            raise Problem(tr("The file was uploaded but no longer exists."))
        self._stored[cell] = kept[path]
        return kept[path]

    async def _upload(self, file: LocalFile) -> str:
        before = self._media.same(file)
        if before is not None and before.is_failed:
            await self._media.retry(before.id)
        upload = before or (await self._media.queue([file]))[0]
        try:
            return await _awaited(self._media.listen, lambda: self._stored_as(upload.id))
        except asyncio.CancelledError:
            if before is None:
                await self._media.cancel(upload.id)
            raise

    def _stored_as(self, upload_id: str) -> str | None:
        upload: Upload | None = self._media.uploads.get(upload_id)
        if upload is None:
            raise Problem(tr("Its upload was cancelled."))
        if upload.is_failed:
            raise Problem(upload.reason)
        return upload.storage_path if upload.is_done else None

    async def _import(self, address: str) -> str:
        imports = self._media.imports
        begun = imports.begin(address)
        return await _awaited(imports.listen, lambda: _fetched(imports, begun.id))


def _fetched(imports: Imports, import_id: str) -> str | None:
    one = next((one for one in imports.all() if one.id == import_id), None)
    if one is None:
        raise Problem(tr("Its file was removed from the import list."))
    if one.state is ImportState.FAILED:
        raise Problem(one.reason)
    return one.storage_path if one.state is ImportState.DONE else None


class _Listen(Protocol):
    """Subscribes a callback to changes; the result unsubscribes it."""

    def __call__(self, listener: Callable[[Upload | Import], None], /) -> Callable[[], None]: ...


async def _awaited(listen: _Listen, look: Callable[[], str | None]) -> str:
    """Return the first result of a lookup other than None, repeated after every notification."""
    news = asyncio.Event()
    stop = listen(lambda _one: news.set())
    try:
        while (found := look()) is None:
            news.clear()
            try:
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await news.wait()
            except TimeoutError:
                continue
        return found
    finally:
        stop()


def facts_of(file: KeptFile) -> MediaFacts | None:
    """Return the facts about a stored file that the platforms' rules need; None if too little is known."""
    if file.content_type is None or file.size_bytes is None:
        return None
    return MediaFacts(
        file.content_type,
        file.size_bytes,
        width=file.width,
        height=file.height,
        duration_ms=file.duration_ms,
    )


def _of_local(file: LocalFile) -> KnownFile:
    return KnownFile(file.post_type, None if file.problem else file.facts, file.problem)


def _of_stored(file: KeptFile) -> KnownFile:
    return KnownFile(file.kind, facts_of(file))


def _is_elsewhere(cell: str) -> bool:
    """Whether a cell names another computer. Windows would send it the user's credentials on access."""
    base, name = _parts(cell)
    is_share = name.replace("/", "\\").startswith("\\\\")
    is_host = base is None and urlsplit(cell).netloc.lower() not in ("", "localhost")
    return is_share or is_host


def _not_looked_at(cell: str) -> KnownFile:
    text = tr("“{path}” is on another computer. Copy the file to this one first.", path=cell[:_SHOWN_MAX])
    return KnownFile(PostType.IMAGE, problem=text)


def _path(cell: str, folder: Path) -> Path:
    base, name = _parts(cell)
    if base is None:
        return Path(name)
    return (Path.home() if base == "~" else folder) / name


def _parts(cell: str) -> tuple[str | None, str]:
    """Return the base of a path and the rest: "~" for home, "" for the table's folder, None for neither."""
    if cell.lower().startswith("file:"):
        return None, url2pathname(urlsplit(cell).path)
    if cell.startswith(("~/", "~\\")):
        return "~", cell[2:]
    return "", cell
