"""Moving a calendar from this computer to a server, and back.

The service that has the calendar hands it over and publishes nothing of it any more. Its export is sent to
the other service, which publishes only once all of it has arrived. A note in the calendar's folder makes it
possible to continue after any interruption: every step can be repeated. The calendar is only taken back once
the other service has refused the export, so it's never on both.
"""

import asyncio
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from app.client import ClientError, ServiceClient, ValidationRefused
from app.contract.limits import EXPORT_MANIFEST_MAX, EXPORT_MEDIA_MAX, EXPORT_ROWS_MAX
from app.contract.moving import Arrival, ArrivalState, DepartureState
from app.disk import private_folder, replace, write_private
from app.language import data_size, tr
from app.workspace import foreign_texts
from app.workspace.homes import programs
from app.workspace.homes.certificates import ssl_context
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.registry import Home, HomeKind, Homes
from app.workspace.messages import Problem
from app.workspace.network import Network
from app.workspace.problems import problem_of
from app.workspace.store.position import forget_position
from app.workspace.threads import completed, in_thread

_NOTE: Final = "moving.json"
_FOLDER: Final = "moving"
_PASSPHRASE_BYTES: Final = 32
_LOOK_EVERY_S: Final = 0.5
_AGAIN_EVERY_S: Final = 1.0
_FOLDER_IN_USE: Final = 75  # an exit code of our programs
_BUSY_MOST: Final = 600
"""How often to try again while an interrupted command is still ending."""
_MANIFEST: Final = "manifest.json"
_FILE: Final = re.compile(r"[a-z_]{1,40}\.ndjson|manifest\.json|[0-9a-f]{64}")
_SPARE_BYTES: Final = 256 * 1024**2
"""Space to leave free on this computer's disk."""


class Direction(StrEnum):
    """Where a calendar moves."""

    THERE = "there"
    BACK = "back"


class MoveNote(BaseModel):
    """What is known of a move in progress. Secrets are stored elsewhere.

    Attributes:
        direction: To a server, or back to this computer.
        base_url: Address of the server.
        pinned_certificate: The server's certificate, if the user trusts only this one.
        account_id: The account that moves, once it's known.
        is_importing: Whether the other service may have begun to import the calendar.
    """

    model_config = ConfigDict(frozen=True)

    direction: Direction
    base_url: str
    pinned_certificate: str | None = None
    account_id: UUID | None = None
    is_importing: bool = False


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """What is happening; ``done`` is the share of it from 0 to 1, None if that isn't known."""

    text: str
    done: float | None = None


Tell = Callable[[MoveProgress], None]


def pending_move(homes: Homes, home: Home) -> MoveNote | None:
    """Return the move of a home that isn't complete; None without one. Blocking."""
    try:
        return MoveNote.model_validate_json((homes.folder(home) / _NOTE).read_bytes())
    except (OSError, ValidationError):
        return None


class Move:
    """One move of a closed home. ``begin`` it once, then ``run`` it until it's complete, or ``cancel`` it."""

    def __init__(self, homes: Homes, credentials: Credentials, network: Network, home: Home) -> None:
        self.home = home
        self._homes, self._credentials, self._network = homes, credentials, network
        self._root = homes.folder(home)
        self._exports = self._root / _FOLDER
        self._secret = f"{home.id}-moving"

    async def begin(self, note: MoveNote, key: str = "") -> None:
        """Note a move. To a server, ``key`` is the key there.

        Raises Problem, also if one isn't complete. Leaves nothing if it fails or is cancelled.
        """
        if await asyncio.to_thread(pending_move, self._homes, self.home) is not None:
            raise Problem(tr("This calendar is being moved already. Continue or cancel that first."))
        try:
            await completed(self._keep_note(note, key))
        except asyncio.CancelledError:
            await completed(self._forget_note())
            raise
        except OSError as error:
            await completed(self._forget_note())
            raise _disk_problem(self._root, error) from error

    async def run(self, tell: Tell) -> Home:
        """Move the calendar, or continue; return the home where it is now.

        Can be cancelled at any point. Raises Problem if it can't continue now; nothing is lost.
        """
        note = await self._note()
        try:
            return await (self._go_there if note.direction is Direction.THERE else self._come_back)(tell)
        except ClientError as error:
            raise _problem_with(note, error) from error
        except OSError as error:
            raise _disk_problem(self._root, error) from error

    async def cancel(self, tell: Tell) -> None:
        """Leave the calendar where it was. It mustn't run. Raises Problem if it has already arrived.

        Only deletes secrets if the move never began.
        """
        note = await asyncio.to_thread(pending_move, self._homes, self.home)
        if note is None:
            await self._credentials.secrets.forget(self._secret)
            return
        tell(MoveProgress(tr("Cancelling the move")))
        try:
            await (self._stay_here if note.direction is Direction.THERE else self._stay_there)(note)
        except ValidationRefused as error:
            raise _problem_with(note, error) from error
        except ClientError as error:
            text = tr(
                "{host} must respond before the move can be cancelled, or the calendar might be in both "
                "places. Try again when it's reachable.",
                host=_host(note),
            )
            raise Problem(text, details=problem_of(error).text) from error
        await self._clean()

    async def _go_there(self, tell: Tell) -> Home:
        note = await self._note()
        if self.home.is_embedded:
            words, key = await self._words()
            account = note.account_id or await self._own_account()
            note = await self._update(note, account_id=account)
            tell(MoveProgress(tr("Packing the calendar")))
            await self._command("export", account, words)
            async with _Client(await self._client(note, key)) as client:
                await self._send(client, account, words, tell)
            await self._credentials.keep(self.home.id, key)
            await self._keep(HomeKind.REMOTE, base_url=note.base_url, pinned=note.pinned_certificate)
        await self._clean()
        return self.home

    async def _come_back(self, tell: Tell) -> Home:
        note = await self._note()
        if not self.home.is_embedded:
            words, _ = await self._words()
            async with _Client(await self._client(note, await self._key())) as client:
                tell(MoveProgress(tr("The server is packing the calendar")))
                account = await self._await_export(client, words)
                note = await self._update(note, account_id=account)
                await self._fetch(client, account, tell)
                await self._update(note, is_importing=True)
                tell(MoveProgress(tr("Unpacking the calendar on this computer")))
                await self._command("import", account, words)
                with suppress(ClientError):  # it deletes what nobody fetches after a week
                    await client.moving.forget()
            await self._keep(HomeKind.EMBEDDED, base_url="", pinned=None)
        await self._credentials.forget(self.home.id)  # a new key for the service here is made when it starts
        await self._clean()
        return self.home

    async def _send(self, client: ServiceClient, account: UUID, words: str, tell: Tell) -> None:
        """Send the export until it has arrived. Raises Problem and ClientError."""
        folder = self._exports / str(account)
        manifest = await asyncio.to_thread((folder / _MANIFEST).read_text, "utf-8")
        sizes = await asyncio.to_thread(_sizes, folder)
        sending = _Sending(client, sizes, tell)
        export = _Named.model_validate_json(manifest).export_id
        arrival, has_begun = await client.moving.offer(manifest), False
        while arrival.state is not ArrivalState.ARRIVED or arrival.export_id != export:
            if arrival.state in {ArrivalState.ARRIVED, ArrivalState.CANCELLED}:
                raise Problem(tr("The move was cancelled. Cancel it here too, then start again."))
            if arrival.missing:
                await sending.send(arrival)
                arrival = await client.moving.arrival()
            elif arrival.state is ArrivalState.RECEIVING:
                if has_begun and arrival.problem:
                    raise Problem(_could_not(client.base_url), details=arrival.problem)
                await self._update(await self._note(), is_importing=True)
                arrival, has_begun = await client.moving.begin_import(words), True
            else:
                tell(MoveProgress(tr("The server is unpacking the calendar"), arrival.done))
                await asyncio.sleep(_LOOK_EVERY_S)
                arrival = await client.moving.arrival()

    async def _await_export(self, client: ServiceClient, words: str) -> UUID:
        departure = await client.moving.begin_departure(words)
        while departure.state is not DepartureState.WRITTEN:
            if departure.state is not DepartureState.WRITING:
                if departure.problem:
                    raise Problem(_could_not(client.base_url), details=departure.problem)
                departure = await client.moving.begin_departure(words)
            await asyncio.sleep(_LOOK_EVERY_S)
            departure = await client.moving.departure()
        return departure.account_id

    async def _fetch(self, client: ServiceClient, account: UUID, tell: Tell) -> None:
        folder = self._exports / str(account)
        sizes = await _listed(client)
        await asyncio.to_thread(_require_room, folder, sizes)
        total, done = max(1, sum(sizes.values())), 0
        for name, size in sizes.items():
            tell(MoveProgress(tr("Receiving the calendar"), done / total))
            await self._fetch_file(client, name, _place(folder, name), size)
            done += size

    async def _fetch_file(self, client: ServiceClient, name: str, path: Path, size: int) -> None:
        if await asyncio.to_thread(_is_there, path, size):
            return
        await asyncio.to_thread(private_folder, path.parent)
        part = path.with_name(f"{name}.part")
        with await asyncio.to_thread(part.open, "wb") as into:
            await client.moving.fetch(name, into, size)
        await asyncio.to_thread(replace, part, path)

    async def _stay_here(self, note: MoveNote) -> None:
        if not self.home.is_embedded:
            raise _arrived(note)
        if note.account_id is None:
            return
        if note.is_importing:
            await self._refuse_there(note, note.account_id)
        await self._command("export", note.account_id, "", "--cancel")

    async def _refuse_there(self, note: MoveNote, account: UUID) -> None:
        """Make the server refuse the export. Before the import, it can't have the calendar."""
        _, key = await self._words()
        manifest = self._exports / str(account) / _MANIFEST
        export = _Named.model_validate_json(await asyncio.to_thread(manifest.read_bytes))
        async with _Client(await self._client(note, key)) as client:
            await client.moving.cancel_arrival(account, export.export_id)

    async def _stay_there(self, note: MoveNote) -> None:
        if self.home.is_embedded:
            raise _arrived(note)
        if note.account_id is not None and note.is_importing:
            await self._command("import", note.account_id, "", "--cancel")
        async with _Client(await self._client(note, await self._key())) as client:
            departure = await client.moving.departure()
            while departure.state is DepartureState.WRITING:
                await asyncio.sleep(_LOOK_EVERY_S)
                departure = await client.moving.departure()
            await client.moving.take_back()

    async def _command(self, name: str, account: UUID, words: str, *more: str) -> None:
        """Run a command on the service's data here. While an interrupted one is still ending, try again."""
        await asyncio.to_thread(private_folder, self._exports)
        file = self._exports / "passphrase"
        if words:
            await in_thread(write_private, file, words.encode())
            more = (*more, "--passphrase-file", str(file))
        place = "--to" if name == "export" else "--from"
        which = ("--data", str(self._root / "service"), "--account", str(account), place, str(self._exports))
        try:
            for left in reversed(range(_BUSY_MOST)):
                try:
                    await _run("service", name, *which, *more)
                except programs.ProgramEndedError as ended:
                    if ended.exit_code != _FOLDER_IN_USE or not left:
                        raise
                    await asyncio.sleep(_AGAIN_EVERY_S)
                else:
                    return
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)

    async def _own_account(self) -> UUID:
        """The account of the service on this computer."""
        told = await _run("service", "account", "list", "--data", str(self._root / "service"))
        accounts: list[dict[str, str]] = told["accounts"]
        if not accounts:
            raise Problem(tr("There is nothing to move yet: this calendar has never been opened."))
        return UUID(accounts[0]["account_id"])

    async def _client(self, note: MoveNote, key: str) -> ServiceClient:
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
        return ServiceClient(note.base_url, key, ssl_context=context, way=self._network.way)

    async def _key(self) -> str:
        key = await self._credentials.find(self.home.id)
        if key is None:
            text = tr("The API key of {name} is missing from this computer.", name=self.home.name)
            raise Problem(text, kind="key_missing")
        return key

    async def _words(self) -> tuple[str, str]:
        """Return the passphrase of the export, and the key of the server to move to."""
        kept = await self._credentials.secrets.find(self._secret)
        if kept is None:
            raise Problem(tr("The secrets of this move are missing from this computer. Cancel the move."))
        words, _, key = kept.partition(" ")
        return words, key

    async def _note(self) -> MoveNote:
        note = await asyncio.to_thread(pending_move, self._homes, self.home)
        if note is None:
            raise Problem(tr("This calendar isn't being moved."))
        return note

    async def _update(self, note: MoveNote, **changes: Any) -> MoveNote:
        changed = note.model_copy(update=changes)
        if changed != note:
            await in_thread(self._write, changed)
        return changed

    async def _keep_note(self, note: MoveNote, key: str) -> None:
        words = secrets.token_urlsafe(_PASSPHRASE_BYTES)
        await self._credentials.secrets.keep(self._secret, f"{words} {key}".strip())
        await asyncio.to_thread(self._write, note)

    async def _forget_note(self) -> None:
        with suppress(OSError):  # there is none if the disk couldn't be used
            await asyncio.to_thread((self._root / _NOTE).unlink, missing_ok=True)
        with suppress(OSError):
            await self._credentials.secrets.forget(self._secret)

    def _write(self, note: MoveNote) -> None:
        private_folder(self._root)
        write_private(self._root / _NOTE, note.model_dump_json(indent=2).encode())

    async def _keep(self, kind: HomeKind, *, base_url: str, pinned: str | None) -> None:
        """Store where the calendar is now. Its posts are listed again when it's opened."""
        await asyncio.to_thread(forget_position, self._root / "workspace.db")
        place = {"kind": kind, "base_url": base_url, "pinned_certificate": pinned, "ca_file": None}
        name = await asyncio.to_thread(self._homes.name_of, self.home)
        self.home = self.home.model_copy(update={**place, "name": name})
        await in_thread(self._homes.keep, self.home)

    async def _clean(self) -> None:
        """Delete the copies for the way, then the note."""
        await asyncio.to_thread(rmtree, self._exports, ignore_errors=True)
        await asyncio.to_thread((self._root / _NOTE).unlink, missing_ok=True)
        await self._credentials.secrets.forget(self._secret)


class _Named(BaseModel):
    """The id in the manifest of an export."""

    export_id: UUID


class _Client:
    """Closes a client at the end of a block."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def __aenter__(self) -> ServiceClient:
        return self._client

    async def __aexit__(self, *_raised: object) -> None:
        await self._client.close()


@dataclass
class _Sending:
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
                raise Problem(_could_not(self.client.base_url), details=f"{name} isn't part of the export.")
            if name in self._sent:
                raise Problem(_could_not(self.client.base_url), details=f"{name} was sent, and is missing.")
            path, size = self.sizes[name]

            def note(sent: int, left: int = left) -> None:
                self.tell(MoveProgress(tr("Sending the calendar"), max(0.0, 1 - (left - sent) / total)))

            await self.client.moving.send(name, path, note)
            self._sent.add(name)
            left -= size


async def _listed(client: ServiceClient) -> dict[str, int]:
    """Return the sizes of the files of an export, which the server may get wrong, by name."""
    sizes: dict[str, int] = {}
    async for page in client.moving.files():
        for file in page.data:
            if not _FILE.fullmatch(file.name):
                continue
            if not 0 <= file.size_bytes <= _most(file.name):
                details = f"{file.name}: {file.size_bytes:,} bytes"
                raise Problem(_could_not(client.base_url), details=details)
            sizes[file.name] = file.size_bytes
    return sizes


def _most(name: str) -> int:
    """Return the maximum size of a file, in bytes."""
    if name == _MANIFEST:
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


def _sizes(folder: Path) -> dict[str, tuple[Path, int]]:
    return {file.name: (file, file.stat().st_size) for file in folder.rglob("*") if file.is_file()}


async def _run(program: str, *arguments: str) -> dict[str, Any]:
    """Run a command; if the caller is cancelled, it's stopped."""
    started: list[programs.Command] = []
    try:
        await in_thread(lambda: started.append(programs.Command(program, *arguments)))
        return await asyncio.to_thread(started[0].answer)
    except asyncio.CancelledError:
        for command in started:
            await in_thread(command.stop)
        raise


def _host(note: MoveNote) -> str:
    return urlsplit(note.base_url).netloc


def _could_not(base_url: str) -> str:
    return tr("{host} couldn't continue the move. Nothing is lost.", host=urlsplit(base_url).netloc)


def _arrived(note: MoveNote) -> Problem:
    if note.direction is Direction.BACK:
        return Problem(tr("The calendar has already arrived on this computer. Continue to finish."))
    return Problem(tr("The calendar has already arrived on {host}. Continue to finish.", host=_host(note)))


def _problem_with(note: MoveNote, error: ClientError) -> Problem:
    problem = problem_of(error)
    words = {
        "unreachable": tr("No response from {host}. Check your network, then continue.", host=_host(note)),
        "timeout": tr("{host} didn't respond in time. Continue in a moment.", host=_host(note)),
        "not_found": tr(
            "{host} can't take calendars yet. Ask its administrator to update it.", host=_host(note)
        ),
        "key_refused": tr("{host} doesn't accept the API key any more.", host=_host(note)),
    }
    text = words.get(problem.kind) or _could_not(note.base_url)
    details = problem.details if problem.kind in words else f"{problem.text} {problem.details}".strip()
    return Problem(text, details=details, kind=problem.kind)


def _disk_problem(folder: Path, error: OSError) -> Problem:
    text = tr(
        "Couldn't use the files in {folder}: {reason}. Free up space, then continue.",
        folder=folder,
        reason=foreign_texts.why(error),
    )
    return Problem(text, details=str(error))
