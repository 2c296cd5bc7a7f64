"""Files that the service downloads from public URLs."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection

from app.client import ClientError, ServiceAnswered
from app.contract.media import AttachFromUrl, MediaImport
from app.contract.media_kinds import kind_of
from app.language import tr
from app.workspace.catalogues import Catalogues, KeptFile
from app.workspace.changes import Listeners
from app.workspace.clock import from_millis
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import problem_of_request, reason_of
from app.workspace.store.tables import get_setting, put_setting

_NO_ADDRESS: Final = tr("That isn't a file address. It should look like https://example.com/coat.jpg.")
_GONE: Final = tr("The file was imported, but Kalends couldn't record it: {why}")
_ENDED: Final = tr(
    "Kalends was closed during this import. Check whether the file is in Media, "
    "and try again only if it isn't."
)
_NAME: Final = "imports"
_SHAPE: Final = TypeAdapter(dict[str, str])
"""URLs by the ID of their import."""

_log = logging.getLogger(__name__)


class ImportState(Enum):
    """The state of an import."""

    FETCHING = "fetching"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Import:
    """One import. ``reason`` says why it failed; ``storage_path`` is set once it's done."""

    id: str
    url: str
    state: ImportState = ImportState.FETCHING
    reason: str = ""
    storage_path: str = ""
    size: int = 0

    @property
    def name(self) -> str:
        """The file's name from its URL, or the host."""
        parts = urlsplit(self.url)
        return parts.path.rstrip("/").rpartition("/")[2] or parts.hostname or self.url


class Imports:
    """Imports, each one call of the service, until they're done or the app stops waiting.

    Imports that weren't done when the app ended are listed as failed after a restart, because the app doesn't
    know what became of them.
    """

    def __init__(self, core: Core, catalogues: Catalogues, kept: Iterable[Import]) -> None:
        self._core = core
        self._catalogues = catalogues
        self._all = {one.id: one for one in kept}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._told: Listeners[Import] = Listeners()

    def all(self) -> list[Import]:
        """All imports, in the order they were started."""
        return list(self._all.values())

    def listen(self, listener: Callable[[Import], None]) -> Callable[[], None]:
        """Subscribe to the progress of imports; call the result to unsubscribe."""
        return self._told.add(listener)

    def begin(self, url: str) -> Import:
        """Have the service download a file. Raises Problem for an invalid URL."""
        try:
            wanted = AttachFromUrl(url=url.strip())
        except ValidationError as error:
            raise Problem(_NO_ADDRESS, kind="invalid") from error
        one = Import(str(uuid4()), wanted.url)
        self._start(one)
        return one

    def retry(self, import_id: str) -> None:
        """Start a failed import again."""
        one = self._all.get(import_id)
        if one is not None and one.state is ImportState.FAILED:
            self._start(replace(one, state=ImportState.FETCHING, reason=""))

    def forget(self, import_id: str) -> None:
        """Remove an import from the list; the service may still finish it."""
        if task := self._tasks.get(import_id):
            task.cancel()
        if self._all.pop(import_id, None):
            self._keep()

    async def close(self) -> None:
        """Stop waiting for running imports."""
        running = list(self._tasks.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _start(self, one: Import) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch(one))
        self._tasks[one.id] = task
        task.add_done_callback(lambda _task: self._tasks.pop(one.id, None))
        self._show(one)

    async def _fetch(self, one: Import) -> None:
        await asyncio.wait([asyncio.wrap_future(self._keep())])
        try:
            stored = await self._core.client.media.attach(AttachFromUrl(url=one.url))
            path, size = stored.storage_path, stored.size_bytes
            await self._catalogues.add_file(_file_of(stored, self._core.clock()))
            self._show(replace(one, state=ImportState.DONE, storage_path=path, size=size))
        except ClientError as error:
            self._show(replace(one, state=ImportState.FAILED, reason=_why(error)))
        except Problem as problem:
            why = _GONE.format(why=problem.text)
            self._show(replace(one, state=ImportState.FAILED, reason=why))

    def _show(self, one: Import) -> None:
        self._all[one.id] = one
        self._keep()
        self._told.tell(one)

    def _keep(self) -> Future[None]:
        """Store the unfinished imports in the background."""
        undone = {one.id: one.url for one in self._all.values() if one.state is not ImportState.DONE}
        done = self._core.database.submit(lambda rows: put_setting(rows, _NAME, undone or None, _SHAPE))
        done.add_done_callback(_say)
        return done


def load_imports(connection: Connection) -> list[Import]:
    """Return the imports that weren't done when the app ended."""
    kept = get_setting(connection, _NAME, _SHAPE) or {}
    return [Import(key, url, ImportState.FAILED, _ENDED) for key, url in kept.items()]


def _say(done: Future[None]) -> None:
    """Log that an import couldn't be stored; the service downloads the file anyway."""
    if error := done.exception():
        _log.warning("an import could not be noted: %s", error)


def _why(error: ClientError) -> str:
    if isinstance(error, ServiceAnswered) and (said := reason_of(error)):
        return f"{said[0].upper()}{said[1:]}."
    return problem_of_request(error).text


def _file_of(stored: MediaImport, now: int) -> KeptFile:
    kind = kind_of(stored.content_type)
    if kind is None:
        text = tr("its type is {kind}, which Kalends doesn't support.", kind=stored.content_type)
        raise Problem(text, kind="invalid")
    return KeptFile(
        storage_path=stored.storage_path,
        name=stored.storage_path.partition("/")[2] or stored.storage_path,
        kind=kind.post_type,
        content_type=kind.content_type,
        size_bytes=stored.size_bytes,
        width=None,
        height=None,
        duration_ms=None,
        alt_text=None,
        created_at=from_millis(now),
    )
