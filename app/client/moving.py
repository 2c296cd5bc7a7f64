"""Calls that move accounts between services. They require the companion feature ``moving``."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import pages, read, require_success
from app.client.bodies import Answer
from app.client.errors import AnswerNotUnderstood, RetryPolicy
from app.client.transfers import Progress
from app.client.wire import Wire
from app.contract.limits import COMPANION_PREFIX
from app.contract.moving import (
    Arrival,
    BeginDeparture,
    BeginImport,
    CancelArrival,
    Departure,
    ExportFile,
    ExportFileList,
    OfferExport,
)
from app.contract.pagination import Page, PageQuery

Model = TypeVar("Model", bound=BaseModel)

_SLOW_S = 60.0
"""Timeout of calls for which the service reads the list of an export's files."""


class MovingCalls:
    """``ServiceClient.moving``. A failed call always raises ClientError. All calls can be repeated."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def offer(self, manifest: str) -> Arrival:
        """Offer the export that ``manifest`` describes."""
        body = OfferExport(manifest=manifest)
        return await self._call("PUT", "/arrival", Arrival, body)

    async def arrival(self) -> Arrival:
        """Return how far an account is on its way to the service."""
        return await self._call("GET", "/arrival", Arrival)

    async def send(self, name: str, file: Path, progress: Progress | None = None) -> None:
        """Send a file of the export. Can be cancelled. Also raises OSError."""

        async def send() -> None:
            path = f"{COMPANION_PREFIX}/arrival/files/{name}"
            require_success(await self._wire.send_own(path, file, progress=progress))

        await self._retries.run(send)

    async def begin_import(self, passphrase: str | None) -> Arrival:
        """Import the export whose files were all sent."""
        body = BeginImport(passphrase=passphrase)
        return await self._call("POST", "/arrival/import", Arrival, body)

    async def cancel_arrival(self, account_id: UUID, export_id: UUID) -> Arrival:
        """Make the service refuse an export from now on. Raises ValidationRefused if it has arrived."""
        body = CancelArrival(account_id=account_id, export_id=export_id)
        return await self._call("POST", "/arrival/cancel", Arrival, body)

    async def departure(self) -> Departure:
        """Return how far the key's account is on its way from the service."""
        return await self._call("GET", "/departure", Departure)

    async def begin_departure(self, passphrase: str) -> Departure:
        """Hand over the key's account and write its export."""
        return await self._call("POST", "/departure", Departure, BeginDeparture(passphrase=passphrase))

    def files(self) -> AsyncIterator[Page[ExportFile]]:
        """Yield the files of a complete export in pages, in the order of their names.

        Raises like ``pages`` if the list doesn't end.
        """

        async def fetch(query: PageQuery) -> Page[ExportFile]:
            where = {"after": query.cursor or ""}
            listed = (await self._call("GET", "/departure/files", ExportFileList, query=where)).data
            return Page[ExportFile](data=listed, next_cursor=listed[-1].name if listed else None)

        return pages(fetch, PageQuery())

    async def fetch(self, name: str, into: BinaryIO, size: int) -> None:
        """Write a file of the export to an open file from its beginning.

        Raises AnswerNotUnderstood if it hasn't ``size`` bytes, and also OSError.
        """

        async def fetch() -> None:
            await asyncio.to_thread(into.seek, 0)
            path = f"{COMPANION_PREFIX}/departure/files/{name}"
            require_success(await self._wire.fetch_own(path, into, size))
            if await asyncio.to_thread(into.tell) != size:
                raise AnswerNotUnderstood("the file is too short")

        await self._retries.run(fetch)

    async def take_back(self) -> Departure:
        """Make the service serve the account again. Only if no other service has it."""
        return await self._call("DELETE", "/departure", Departure)

    async def forget(self) -> Departure:
        """Delete the files of an export that has arrived elsewhere."""
        return await self._call("DELETE", "/departure/files", Departure)

    async def _call(
        self,
        method: str,
        path: str,
        model: type[Model],
        body: BaseModel | None = None,
        query: dict[str, str] | None = None,
    ) -> Model:
        text = None if body is None else body.model_dump_json()

        async def call() -> Model:
            return await read(await send(), model)

        def send() -> Awaitable[Answer]:
            where = f"{COMPANION_PREFIX}{path}"
            return self._wire.call(method, where, query=query, body=text, patience_s=_SLOW_S)

        run: Callable[[Callable[[], Awaitable[Model]]], Awaitable[Model]] = self._retries.run
        return await run(call)
