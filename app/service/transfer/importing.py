"""Import of an account from the folder of an export.

The export is checked as a whole before anything changes. Rows are imported in pages, each in one transaction
with how far the import is, so running it again after an interruption continues. Nothing is published before
all is here.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.contract.enums import SubscriptionStatus
from app.database import Database
from app.service.clock import Clock
from app.service.media.rows import remove
from app.service.media.stores import MediaStore, Place, place_of
from app.service.problems import CommandProblem
from app.service.retention import delete_batch
from app.service.store.marks import keep_known
from app.service.store.seal import Seal
from app.service.store.tables import (
    accounts,
    attempts,
    connections,
    media,
    publication_steps,
    webhook_subscriptions,
)
from app.service.threads import in_thread
from app.service.transfer.checking import Checker, Rooms, pages, require_not_future
from app.service.transfer.contents import MEDIA, PARTS, Part
from app.service.transfer.handover import Phase, Transfer, keep_transfer, lock_transfer, read_transfer
from app.service.transfer.hosts import replace_host, require_may_come
from app.service.transfer.lines import decode
from app.service.transfer.manifest import ExportFolder, Manifest, check_lines
from app.service.transfer.sealing import ExportSeal
from app.service.transfer.secrets import place_of_secret, read_secret
from app.service.webhooks.sender import new_secret

_CHUNK: Final = 1024 * 1024
_SECRETS_MAX: Final = 200_000
_CLEAR_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class Target:
    """The installation that an account comes to."""

    database: Database
    store: MediaStore
    seal: Seal
    clock: Clock


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: rows by table, and whether it had been imported before."""

    rows: dict[str, int]
    already: bool = False


def import_account(
    target: Target, folder: ExportFolder, passphrase: str | None, rooms: Rooms, host: UUID | None = None
) -> Imported:
    """Import an account, or continue. Blocking.

    Without a passphrase, its accounts must be connected again. ``host`` is an account without content that
    it replaces: its keys and its password then belong to the account. Raises CommandProblem, without any
    change if the export isn't valid, and OSError.
    """
    manifest = folder.read_manifest()
    if manifest is None:
        raise CommandProblem(
            f"There is no complete export in {folder.root}. Run the export again to complete it."
        )
    now = target.clock()
    require_not_future(manifest, now)
    counts = {name: written.rows for name, written in manifest.tables.items()}
    if target.database.read_now(lambda rows: _is_here(rows, manifest)):
        return Imported(counts, already=True)
    secrets = _read_secrets(folder, manifest, passphrase)
    Checker(folder, manifest, target.database, rooms).check()
    target.database.write_now(lambda rows: _begin(rows, manifest, rooms, now, host))
    _Import(target, folder, manifest, secrets).run()
    return Imported(counts)


def _is_here(rows: Connection, manifest: Manifest) -> bool:
    """Whether this export is complete here. Raises CommandProblem if the account can't come here."""
    account = rows.execute(
        select(accounts.c.moved_at, accounts.c.moves).where(accounts.c.id == manifest.account.id)
    ).one_or_none()
    if account is None:
        return False
    last = read_transfer(rows, manifest.account.id)
    is_this = last is not None and last.export_id == manifest.export_id
    if account.moved_at is None and is_this and last is not None and last.phase is Phase.HERE:
        if account.moves == manifest.move:
            return True
        raise CommandProblem("The account was taken back after this export. Export it again.")
    if last is not None and is_this and last.phase is Phase.CANCELLED:
        raise CommandProblem("The import of this export was cancelled here. Export the account again.")
    if last is not None and last.phase is Phase.ARRIVING:
        if is_this:
            return False
        raise CommandProblem("Another export of this account isn't complete here. Finish that import first.")
    if account.moved_at is None:
        raise CommandProblem(f"The account {manifest.account.id} is in use here. Nothing was imported.")
    if account.moves >= manifest.move:
        raise CommandProblem(
            "move: this export is from here, or older than the last one from here. If no other service has "
            "the account, use the command “account take-back”."
        )
    return False


def _begin(rows: Connection, manifest: Manifest, rooms: Rooms, now: datetime, host: UUID | None) -> None:
    """Create the account, or take over the row it left. It stays away until all is here."""
    lock_transfer(rows, manifest.account.id)
    if host is not None:
        require_may_come(rows, host, manifest.account.id)
    known = rows.execute(
        select(accounts.c.moved_at).where(accounts.c.id == manifest.account.id).with_for_update()
    ).one_or_none()
    if known is None:
        rows.execute(
            insert(accounts).values(
                id=manifest.account.id,
                name=manifest.account.name,
                plan=rooms.plan.value,
                status=SubscriptionStatus.ACTIVE.value,
                storage_cap_bytes=rooms.cap,
                created_at=manifest.account.created_at,
                moved_at=now,
            )
        )
    if _is_here(rows, manifest):
        raise CommandProblem("Another process has just imported this account.")
    last = read_transfer(rows, manifest.account.id)
    if last is None or last.phase is not Phase.ARRIVING:
        arriving = Transfer(manifest.export_id, Phase.ARRIVING, part=-1, host=host)
        keep_transfer(rows, manifest.account.id, arriving)


def _read_secrets(folder: ExportFolder, manifest: Manifest, passphrase: str | None) -> dict[str, str]:
    if manifest.secrets is None or manifest.sealing is None or passphrase is None:
        return {}
    seal = ExportSeal.of(manifest.sealing, passphrase, manifest.export_id)
    if manifest.secrets.rows > _SECRETS_MAX:
        raise CommandProblem(f"secrets.rows: an export has at most {_SECRETS_MAX:,} secrets.")
    lines = check_lines(folder.secrets, manifest.secrets)
    return dict(read_secret(seal, line, number) for number, line in enumerate(lines, 1))


class _Import:
    """One run of an import, from where the last one was interrupted."""

    def __init__(
        self, target: Target, folder: ExportFolder, manifest: Manifest, secrets: Mapping[str, str]
    ) -> None:
        self._database = target.database
        self._store = target.store
        self._seal = target.seal
        self._clock = target.clock
        self._folder = folder
        self._manifest = manifest
        self._account = manifest.account.id
        self._secrets = secrets

    def run(self) -> None:
        at = self._progress()
        if at.part < 0:
            self._clear()
            at = self._keep_progress(0, 0)
        for index in range(at.part, len(PARTS)):
            part, done = PARTS[index], at.line if index == at.part else 0
            if part is MEDIA:
                self._import_files(index, done)
            else:
                self._import_rows(index, done)
        self._finish()

    def _progress(self) -> Transfer:
        return self._database.write_now(self._arriving)

    def _arriving(self, rows: Connection) -> Transfer:
        """Return how far this import is. Raises CommandProblem if it was finished or cancelled elsewhere."""
        found = lock_transfer(rows, self._account)
        if found is None or found.phase is not Phase.ARRIVING or found.export_id != self._manifest.export_id:
            raise CommandProblem("This import was finished or cancelled by another process.")
        return found

    def _keep_progress(self, part: int, line: int) -> Transfer:
        return self._database.write_now(lambda rows: self._advance(rows, part, line))

    def _advance(self, rows: Connection, part: int, line: int) -> Transfer:
        at = replace(self._arriving(rows), part=part, line=line)
        keep_transfer(rows, self._account, at)
        return at

    def _clear(self) -> None:
        """Delete the rows that the account left here. Files stay, as most of them are needed again."""
        for part in reversed(PARTS):
            if part is not MEDIA:
                while self._database.write_now(partial(self._clear_batch, part)):
                    pass

    def _clear_batch(self, part: Part, rows: Connection) -> int:
        if part.table is attempts:
            # The journal of calls has them, and must not miss them.
            own = select(attempts.c.id).where(attempts.c.account_id == self._account)
            ids = rows.scalars(own.limit(_CLEAR_BATCH)).all()
            keep_known(rows, ids, self._clock())
            rows.execute(delete(attempts).where(attempts.c.id.in_(ids)))
            return len(ids)
        return delete_batch(rows, part.table, part.of_account(self._account), _CLEAR_BATCH)

    def _lines(self, index: int, done: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the lines after those that have been imported, with their numbers."""
        part = PARTS[index]
        lines = enumerate(check_lines(self._folder.rows(part), self._manifest.tables[part.name]), 1)
        return ((number, decode(part, line, number)) for number, line in islice(lines, done, None))

    def _import_rows(self, index: int, done: int) -> None:
        part = PARTS[index]
        for page in pages(self._lines(index, done)):
            rows = [self._completed(part, row) for _, row in page]
            self._insert(index, page[-1][0], partial(_insert_rows, part, rows))
        self._insert(index + 1, 0, lambda _: None)

    def _insert(self, index: int, line: int, work: Callable[[Connection], object]) -> None:
        """Run ``work`` and record how far the import is, in one transaction."""

        def write(rows: Connection) -> None:
            self._advance(rows, index, line)
            work(rows)

        try:
            self._database.write_now(write)
        except IntegrityError as error:
            raise CommandProblem(
                f"Rows of {PARTS[index].name}.ndjson up to line {line:,} contradict others of this export. "
                "Export the account again."
            ) from error

    def _completed(self, part: Part, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row with its account and its secrets, encrypted with this installation's key."""
        if part.is_owned:
            row["account_id"] = self._account
        for column, sealed_for in part.sealed.items():
            secret = self._secrets.get(place_of_secret(part, row, column))
            row[column] = None if secret is None else self._seal.close(secret, row[sealed_for])
        if part.table is connections and row["access_token"] is None:
            row |= {"access_token": b"", "is_available": False, "renew_at": None}
        if part.table is webhook_subscriptions and row["secret"] is None:
            row |= {"secret": self._seal.close(new_secret(), row["id"]), "active": False}
        if part.table is publication_steps and row["value"] is None:
            row["value"] = b""
        return row

    def _import_files(self, index: int, done: int) -> None:
        left_out = set(self._manifest.left_out)
        for number, row in self._lines(index, done):
            row["account_id"] = self._account
            known = self._database.read_now(partial(_stored, row["storage_path"]))
            place = self._kept(known, row)
            if place is None and row["storage_path"] not in left_out:
                place = asyncio.run(self._store_file(row))
            self._insert(index, number, partial(_put_file, row, place, known is not None, self._clock()))
        self._insert(index + 1, 0, lambda _: None)

    def _kept(self, known: Mapping[Any, Any] | None, row: Mapping[str, Any]) -> Place | None:
        """Return where the file is if it stayed here when the account left."""
        if known is None or known["sha256"] != row["sha256"]:
            return None
        place = place_of(known)  # type: ignore[arg-type]
        return None if self._store.missing([place]) else place

    async def _store_file(self, row: Mapping[str, Any]) -> Place:
        path = self._folder.media(row["sha256"])
        incoming = await asyncio.to_thread(self._store.begin, row["storage_path"])
        try:
            return await in_thread(_pour, path, incoming, row)
        finally:
            await in_thread(incoming.abandon)

    def _finish(self) -> None:
        removed = self._database.write_now(self._forget_files)
        for place in removed:
            self._store.remove(place)
        self._database.write_now(self._arrive)

    def _forget_files(self, rows: Connection) -> list[Place]:
        """Delete the rows of files that were deleted while the account was elsewhere."""
        lines = check_lines(self._folder.rows(MEDIA), self._manifest.tables[MEDIA.name])
        kept = {decode(MEDIA, line, number)["id"] for number, line in enumerate(lines, 1)}
        own = select(media).where(media.c.account_id == self._account)
        gone = [row for row in rows.execute(own).mappings() if row["id"] not in kept]
        for row in gone:
            remove(rows, row["storage_path"])
        return [place_of(row) for row in gone]

    def _arrive(self, rows: Connection) -> None:
        """Serve the account here."""
        host = self._arriving(rows).host
        if host is not None and host != self._account:
            replace_host(rows, host, self._account)
        account = self._manifest.account
        rows.execute(
            update(accounts)
            .where(accounts.c.id == self._account)
            .values(
                name=account.name,
                paused_at=account.paused_at,
                created_at=account.created_at,
                moves=self._manifest.move,
                moved_at=None,
            )
        )
        keep_transfer(rows, self._account, Transfer(self._manifest.export_id, Phase.HERE, host=host))


def _insert_rows(part: Part, values: list[dict[str, Any]], rows: Connection) -> None:
    rows.execute(insert(part.table), values)


def _stored(storage_path: str, rows: Connection) -> Mapping[Any, Any] | None:
    found = rows.execute(select(media).where(media.c.storage_path == storage_path)).mappings()
    return found.one_or_none()


def _put_file(
    row: Mapping[str, Any], place: Place | None, is_known: bool, now: datetime, rows: Connection
) -> None:
    """Write the row of a file; without a place, as one that is lost."""
    values = {**row, "probe_after": None, "missing_since": None}
    if place and row["width"] is None:  # it left before it was probed
        values["probe_after"] = now
    values["object_key"] = place.object_key if place else None
    values["expires_at"] = None if place else now
    if is_known:
        rows.execute(delete(media).where(media.c.storage_path == row["storage_path"]))
    rows.execute(insert(media).values(values))


def _pour(path: Path, incoming: Any, row: Mapping[str, Any]) -> Place:
    """Copy a file into the store. Raises CommandProblem if its bytes differ from its checksum."""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            incoming.write(chunk)
    if incoming.finish() != row["sha256"]:
        raise CommandProblem(
            f"sha256: the file {path} is damaged. Copy it again, then run the import again to continue."
        )
    place: Place = incoming.keep(row["storage_path"])
    return place
