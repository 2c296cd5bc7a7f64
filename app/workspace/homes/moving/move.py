"""The steps of a move, each of which can be repeated."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final
from uuid import UUID

from app.client import ClientError, ServiceClient, ValidationRefused
from app.language import tr
from app.workspace.homes.certificates import ssl_context
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.export import LocalExport
from app.workspace.homes.moving.messages import (
    MoveProgress,
    Tell,
    arrived,
    disk_problem,
    not_cancelled,
    server_problem,
)
from app.workspace.homes.moving.note import Direction, MoveNote, NoteStore
from app.workspace.homes.moving.receiving import await_export, fetch_export, take_back_export
from app.workspace.homes.moving.sending import Sender
from app.workspace.homes.registry import Home, HomeKind, Homes
from app.workspace.messages import Problem
from app.workspace.network import Network
from app.workspace.store.position import forget_position
from app.workspace.threads import in_thread

_FORGET_S: Final = 10.0
"""How long a server may take to delete files that nobody needs any more, in s."""


class Move:
    """One move of a closed home. ``begin`` it once, then ``run`` it until it's complete, or ``cancel`` it."""

    def __init__(self, homes: Homes, credentials: Credentials, network: Network, home: Home) -> None:
        self.home = home
        self._homes, self._credentials, self._network = homes, credentials, network
        self._root = homes.folder(home)
        self._export = LocalExport(self._root)
        self._notes = NoteStore(self._root, credentials.secrets, home)

    async def begin(self, note: MoveNote, key: str = "") -> None:
        """Note a move. To a server, ``key`` is the key there.

        Raises Problem, also if one isn't complete. Leaves nothing if it fails or is cancelled.
        """
        try:
            await self._notes.begin(note, key)
        except OSError as error:
            raise disk_problem(self._root, error) from error

    async def run(self, tell: Tell) -> Home:
        """Move the calendar, or continue; return the home where it is now.

        Can be cancelled at any point. Raises Problem if it can't continue now; nothing is lost.
        """
        note = await self._notes.read()
        go = self._go_there if note.direction is Direction.THERE else self._come_back
        try:
            return await go(await self._notes.update(note, is_cancelled=False), tell)
        except ClientError as error:
            raise server_problem(note, error) from error
        except OSError as error:
            raise disk_problem(self._root, error) from error

    async def cancel(self, tell: Tell) -> None:
        """Leave the calendar where it was. It mustn't run. Raises Problem if it has already arrived.

        Only deletes secrets if the move never began.
        """
        note = await self._notes.find()
        if note is None:
            await self._notes.forget_secrets()
            return
        tell(MoveProgress(tr("Cancelling the move")))
        with suppress(OSError):  # only an interruption needs it, and a full disk mustn't prevent cancelling
            note = await self._notes.update(note, is_cancelled=True)
        try:
            await (self._stay_here if note.direction is Direction.THERE else self._stay_there)(note)
            with suppress(OSError):  # then another try only has to clean up
                await self._notes.update(note, account_id=None, is_importing=False)
            await self._clean()
        except ValidationRefused as error:
            raise server_problem(note, error) from error
        except ClientError as error:
            raise not_cancelled(note, error) from error
        except OSError as error:
            raise disk_problem(self._root, error) from error

    async def _go_there(self, note: MoveNote, tell: Tell) -> Home:
        if self.home.is_embedded:
            words, key = await self._notes.words()
            account = note.account_id or await self._export.own_account()
            note = await self._notes.update(note, account_id=account)
            tell(MoveProgress(tr("Packing the calendar")))
            await self._export.write(account, words)
            note_import = partial(self._notes.update, note, is_importing=True)
            async with self._connected(note, key) as client:
                await Sender(client, self._export, tell, note_import).send(account, words)
            await self._credentials.keep(self.home.id, key)
            await self._keep(HomeKind.REMOTE, base_url=note.base_url, pinned=note.pinned_certificate)
        await self._clean()
        return self.home

    async def _come_back(self, note: MoveNote, tell: Tell) -> Home:
        if not self.home.is_embedded:
            async with self._connected(note, await self._key()) as client:
                if not note.is_imported:
                    note = await self._import(client, note, tell)
                await self._keep(HomeKind.EMBEDDED, base_url="", pinned=None)
                # Only now: without its files, the server would refuse to continue an import. It deletes what
                # nobody fetches after a week.
                with suppress(ClientError, TimeoutError):
                    async with asyncio.timeout(_FORGET_S):
                        await client.moving.forget()
        await self._credentials.forget(self.home.id)  # a new key for the service here is made when it starts
        await self._clean()
        return self.home

    async def _import(self, client: ServiceClient, note: MoveNote, tell: Tell) -> MoveNote:
        """Bring the calendar to this computer."""
        words, _ = await self._notes.words()
        tell(MoveProgress(tr("The server is packing the calendar")))
        account = await await_export(client, words)
        note = await self._notes.update(note, account_id=account)
        await fetch_export(client, self._export.folder(account), tell)
        note = await self._notes.update(note, is_importing=True)
        tell(MoveProgress(tr("Unpacking the calendar on this computer")))
        await self._export.take_in(account, words)
        return await self._notes.update(note, is_imported=True)

    async def _stay_here(self, note: MoveNote) -> None:
        if not self.home.is_embedded:
            raise arrived(note)
        if note.account_id is None:
            return
        if note.is_importing:
            await self._refuse_there(note, note.account_id)
        await self._export.take_back(note.account_id)

    async def _refuse_there(self, note: MoveNote, account: UUID) -> None:
        """Make the server refuse the export. Before the import, it can't have the calendar."""
        _, key = await self._notes.words()
        export_id, _ = await self._export.read_manifest(account)
        async with self._connected(note, key) as client:
            await client.moving.cancel_arrival(account, export_id)

    async def _stay_there(self, note: MoveNote) -> None:
        if self.home.is_embedded or note.is_imported:
            raise arrived(note)
        if note.account_id is not None and note.is_importing:
            await self._export.refuse(note.account_id)
        async with self._connected(note, await self._key()) as client:
            await take_back_export(client)

    @asynccontextmanager
    async def _connected(self, note: MoveNote, key: str) -> AsyncIterator[ServiceClient]:
        await self._network.load()
        there = self.home.model_copy(
            update={
                "kind": HomeKind.REMOTE,
                "base_url": note.base_url,
                "ca_file": None,
                "pinned_certificate": note.pinned_certificate,
            }
        )
        context = await asyncio.to_thread(ssl_context, there)
        client = ServiceClient(note.base_url, key, ssl_context=context, way=self._network.way)
        try:
            yield client
        finally:
            await client.close()

    async def _key(self) -> str:
        key = await self._credentials.find(self.home.id)
        if key is None:
            text = tr("The API key of {name} is missing from this computer.", name=self.home.name)
            raise Problem(text, kind="key_missing")
        return key

    async def _keep(self, kind: HomeKind, *, base_url: str, pinned: str | None) -> None:
        """Store where the calendar is now. Its posts are listed again when it's opened."""
        await asyncio.to_thread(forget_position, self._root / "workspace.db")
        place = {"kind": kind, "base_url": base_url, "pinned_certificate": pinned, "ca_file": None}
        name = await asyncio.to_thread(self._homes.name_of, self.home)
        home = self.home.model_copy(update={**place, "name": name})

        def keep() -> None:
            self._homes.keep(home)
            self.home = home  # not before it's stored, because it decides what is left to do

        await in_thread(keep)

    async def _clean(self) -> None:
        """Delete the copies for the way, then the note."""
        await self._export.forget()
        await self._notes.forget()
