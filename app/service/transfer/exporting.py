"""Export of an account: hand it over, and write everything it has into a folder.

Run again after an interruption, it continues: complete files stay, and the account stays handed over. Once
all is written, it's read and compared again, so a change in the last moment isn't lost.
"""

import asyncio
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection, RowMapping, func, select

from app.database import Database
from app.disk import open_private, private_folder, replace
from app.service.clock import Clock
from app.service.media.stores import MediaStore, place_of
from app.service.problems import CommandProblem
from app.service.store.departures import note_departure
from app.service.store.seal import SEALED_BYTES_MIN, Seal, SealBrokenError
from app.service.store.tables import accounts, media
from app.service.transfer import handover
from app.service.transfer.contents import MEDIA, PARTS, Part
from app.service.transfer.lines import encoder, require_movable
from app.service.transfer.manifest import (
    AccountFacts,
    Draft,
    ExportFolder,
    LineWriter,
    Manifest,
    Written,
)
from app.service.transfer.sealing import ExportSeal
from app.service.transfer.secrets import place_of_secret, secret_line

_log = structlog.get_logger(__name__)

_ROWS_AT_ONCE: Final = 500
_LOOK_EVERY_S: Final = 0.2
_SPARE_BYTES: Final = 64 * 1024 * 1024
"""Space to leave free on the disk of the export."""


@dataclass(frozen=True, slots=True)
class Source:
    """The installation that an account leaves. ``root`` is its data folder."""

    root: Path
    database: Database
    store: MediaStore
    seal: Seal
    clock: Clock


def export_account(
    source: Source, account_id: UUID, folder: ExportFolder, passphrase: str | None, patience_s: float
) -> Manifest:
    """Hand over an account and write it to a folder. Blocking.

    Without a passphrase, secrets are left out: accounts must then be connected again. Raises CommandProblem,
    for example if a worker is still busy after ``patience_s``, and OSError. If an import would refuse a row,
    the account isn't handed over.
    """
    private_folder(folder.root)
    if (done := folder.read_manifest()) is not None:
        return _already(source, done, account_id, folder)
    source.database.read_now(lambda rows: _require_movable(rows, account_id))
    draft, seal = _begin(source, account_id, folder, passphrase)
    _wait_until_quiet(source, account_id, patience_s)
    return _Export(source, account_id, folder, seal, draft).run()


def _already(source: Source, done: Manifest, account_id: UUID, folder: ExportFolder) -> Manifest:
    if done.account.id != account_id:
        raise CommandProblem(f"{folder.root} has the export of another account. Choose another folder.")
    last = source.database.read_now(lambda rows: handover.read_transfer(rows, account_id))
    if last is None or (last.export_id, last.phase) != (done.export_id, handover.Phase.LEFT):
        # The account is served here: imported elsewhere, this export would have it published twice.
        raise CommandProblem(
            f"The account has been here again since the export in {folder.root}. Choose another folder."
        )
    return done


def _begin(
    source: Source, account_id: UUID, folder: ExportFolder, passphrase: str | None
) -> tuple[Draft, ExportSeal | None]:
    """Return the state of the export, and what encrypts its secrets, if any."""
    draft, seal = folder.read_draft(), None
    export_id = uuid4() if draft is None else draft.export_id
    if draft is not None and (draft.sealing is None) != (passphrase is None):
        raise CommandProblem(f"The export in {folder.root} was begun the other way. Choose another folder.")
    if draft is not None and draft.sealing is not None and passphrase is not None:
        seal = ExportSeal.of(draft.sealing, passphrase, export_id)
    elif passphrase is not None:
        seal = ExportSeal.new(passphrase, export_id)
    now = source.clock()
    move = source.database.write_now(lambda rows: handover.begin_leaving(rows, account_id, export_id, now))
    note_departure(source.root, account_id, move)
    if draft is not None and draft.move != move:
        raise CommandProblem(
            f"The account was taken back since the export in {folder.root} began. Choose another folder."
        )
    if draft is None:
        draft = Draft(export_id=export_id, move=move, sealing=seal.sealing if seal else None)
        folder.write(draft)
    return draft, seal


def _require_movable(rows: Connection, account_id: UUID) -> None:
    for part in PARTS:
        _each(rows, part, account_id, partial(require_movable, part))


def _wait_until_quiet(source: Source, account_id: UUID, patience_s: float) -> None:
    """Let posts under way, renewals and deliveries end."""
    until = time.monotonic() + patience_s
    while not source.database.read_now(lambda rows: handover.is_quiet(rows, account_id, source.clock())):
        if time.monotonic() >= until:
            raise CommandProblem(
                "A post is still being published. Nothing begins any more; run the export again in a few "
                "minutes to continue."
            )
        time.sleep(_LOOK_EVERY_S)


class _Export:
    """One run of an export."""

    def __init__(
        self,
        source: Source,
        account_id: UUID,
        folder: ExportFolder,
        seal: ExportSeal | None,
        draft: Draft,
    ) -> None:
        self._source = source
        self._account = account_id
        self._folder = folder
        self._seal = seal
        self._draft = draft
        self._left_out: list[str] = []

    def run(self) -> Manifest:
        self._require_space()
        for part in PARTS:
            if part.name not in self._draft.tables:
                self._keep(part, self._write(part))
        files, size = self._write_media()
        while self._rewrite_changed():
            files, size = self._write_media()
        return self._finish(files, size)

    def _keep(self, part: Part, written: Written) -> None:
        tables = {**self._draft.tables, part.name: written}
        self._draft = self._draft.model_copy(update={"tables": tables})
        self._folder.write(self._draft)

    def _require_space(self) -> None:
        sizes = select(func.coalesce(func.sum(media.c.size_bytes), 0)).where(
            media.c.account_id == self._account, media.c.expires_at.is_(None)
        )
        needed = int(self._source.database.read_now(lambda rows: rows.scalar(sizes)) or 0)
        there = sum(file.stat().st_size for file in self._folder.root.glob("media/*/*") if file.is_file())
        free = shutil.disk_usage(self._folder.root).free
        if needed - there + _SPARE_BYTES > free:
            raise CommandProblem(
                f"The export needs {needed - there:,} bytes, and {self._folder.root} has {free:,} free. "
                "Free some space, then run the export again to continue."
            )

    def _write(self, part: Part) -> Written:
        return self._lines(self._folder.rows(part), lambda rows, out: _each(rows, part, self._account, out))

    def _write_secrets(self, seal: ExportSeal) -> Written:
        return self._lines(
            self._folder.secrets,
            lambda rows, out: self._each_secret(
                rows, lambda place, text: out(secret_line(seal, place, text))
            ),
        )

    def _lines(self, path: Path, work: Callable[[Connection, Callable[[bytes], None]], None]) -> Written:
        def write(rows: Connection) -> Written:
            writer = LineWriter(path)  # begins again if the database was restarted
            try:
                work(rows, writer.write)
                return writer.finish()
            except BaseException:
                writer.abandon()
                raise

        return self._source.database.read_now(write)

    def _each_secret(self, rows: Connection, found: Callable[[str, str], None]) -> None:
        for part in PARTS:
            for name, sealed_for in part.sealed.items():
                for row in _stream(rows, part, self._account):
                    secret = row[name]
                    if secret is None or len(secret) < SEALED_BYTES_MIN:
                        continue
                    try:
                        text = self._source.seal.open(secret, row[sealed_for])
                    except SealBrokenError:
                        continue  # as good as none: its account must be connected again
                    found(place_of_secret(part, row, name), text)

    def _write_media(self) -> tuple[int, int]:
        """Copy the files that aren't in the export yet; return how many there are and their bytes."""
        query = select(media).where(MEDIA.of_account(self._account)).order_by(media.c.id)
        found = self._source.database.read_now(
            lambda rows: [
                (place_of(row), row["sha256"], row["size_bytes"]) for row in rows.execute(query).mappings()
            ]
        )
        sizes: dict[str, int] = {}
        self._left_out.clear()
        for place, sha256, size in found:
            if sha256 in sizes:
                continue
            path = self._folder.media(sha256)
            if path.exists() or asyncio.run(_copy(self._source.store, place, path, sha256)):
                sizes[sha256] = size
            else:
                self._left_out.append(place.storage_path)
        return len(sizes), sum(sizes.values())

    def _rewrite_changed(self) -> bool:
        """Write again what has changed since it was written; return whether anything had."""
        changed = [part for part in PARTS if self._digest(part) != self._draft.tables[part.name]]
        for part in changed:
            _log.info("written again, because it changed", table=part.name)
            self._keep(part, self._write(part))
        return bool(changed)

    def _digest(self, part: Part) -> Written:
        digest, count = hashlib.sha256(), 0

        def add(line: bytes) -> None:
            nonlocal count
            digest.update(line)
            count += 1

        self._source.database.read_now(lambda rows: _each(rows, part, self._account, add))
        return Written(rows=count, sha256=digest.hexdigest())

    def _finish(self, files: int, size: int) -> Manifest:
        secrets = None if self._seal is None else self._write_secrets(self._seal)
        account = self._source.database.read_now(
            lambda rows: rows.execute(select(accounts).where(accounts.c.id == self._account)).mappings().one()
        )
        manifest = Manifest(
            export_id=self._draft.export_id,
            move=self._draft.move,
            exported_at=self._source.clock(),
            account=_facts(account),
            tables=self._draft.tables,
            media_files=files,
            media_bytes=size,
            secrets=secrets,
            sealing=self._draft.sealing,
            left_out=self._left_out,
        )
        # Nothing is published here before or after this: the account left when the export began.
        self._source.database.write_now(
            lambda rows: handover.leave(rows, self._account, self._draft.export_id)
        )
        self._folder.write(manifest)
        self._folder.draft.unlink(missing_ok=True)
        return manifest


def _facts(account: RowMapping) -> AccountFacts:
    return AccountFacts(
        id=account["id"],
        name=account["name"],
        created_at=account["created_at"],
        paused_at=account["paused_at"],
    )


def _stream(rows: Connection, part: Part, account_id: UUID) -> Any:
    """Return rows in batches, so that memory stays bounded."""
    query = part.in_order(account_id, rows.dialect.name)
    return rows.execute(query, execution_options={"yield_per": _ROWS_AT_ONCE}).mappings()


def _each(rows: Connection, part: Part, account_id: UUID, out: Callable[[bytes], None]) -> None:
    encode = encoder(part)
    for row in _stream(rows, part, account_id):
        out(encode(row))


async def _copy(store: MediaStore, place: Any, path: Path, sha256: str) -> bool:
    """Copy a file to the export; False if it's missing or damaged. Raises OSError."""
    await asyncio.to_thread(private_folder, path.parent)
    part = path.with_name(f"{path.name}.part")
    digest = hashlib.sha256()
    try:
        async with store.open_at(place, 0) as chunks:
            with open_private(part) as out:
                async for chunk in chunks:
                    out.write(chunk)
                    digest.update(chunk)
                out.flush()
                os.fsync(out.fileno())
    except FileNotFoundError:
        part.unlink(missing_ok=True)
        return False
    if digest.hexdigest() != sha256:
        part.unlink(missing_ok=True)
        return False
    replace(part, path)
    return True
