"""Accounts that the app takes away: the export is written, then its files are fetched one by one."""

import re
import shutil
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, select

from app.contract.limits import EXPORT_FILES_AT_ONCE
from app.contract.moving import Departure, DepartureState, ExportFile, ExportFileList
from app.service.problems import CommandProblem
from app.service.store.tables import accounts
from app.service.transfer.exporting import Source, export_account
from app.service.transfer.handover import Phase, read_transfer, take_back
from app.service.transfer.manifest import ExportFolder, Manifest
from app.service.transfer.visits import VisitorFolder, forget_abandoned

_PATIENCE_S: Final = 180.0
"""How long posts under way may take to end: longer than a dead worker's claims."""
_NAME: Final = re.compile(r"[a-z_]{1,40}\.ndjson|manifest\.json|[0-9a-f]{64}")


@dataclass(frozen=True)
class Departures:
    """Gives exports. Blocking; raises CommandProblem and OSError.

    Args:
        root: Folder for what is on its way.
        source: The installation that accounts leave.
        gives_secrets: Whether exports contain the access to connected accounts.
    """

    root: Path
    source: Source
    gives_secrets: bool

    def begin(self, account_id: UUID, passphrase: str) -> Departure:
        """Begin the export in the background, or continue, and return how far it is."""
        forget_abandoned(self.root)
        current = self.state(account_id)
        if current.state in {DepartureState.WRITING, DepartureState.WRITTEN}:
            return current
        folder = self._folder(account_id)
        if current.state is DepartureState.HERE:
            folder.clear()  # of a handover that was taken back
        words = passphrase if self.gives_secrets else None
        folder.work(lambda: export_account(self.source, account_id, folder.export, words, _PATIENCE_S))
        return self.state(account_id)

    def state(self, account_id: UUID) -> Departure:
        """Return how far an account is."""
        folder = self._folder(account_id)
        if folder.is_busy():
            return self._departure(account_id, DepartureState.WRITING)
        if self.source.database.read_now(lambda rows: _is_here(rows, account_id)):
            return self._departure(account_id, DepartureState.HERE, problem=folder.problem())
        manifest = folder.export.read_manifest()
        if manifest is None:
            return self._departure(account_id, DepartureState.STOPPED, problem=folder.problem())
        return self._departure(account_id, DepartureState.WRITTEN, manifest)

    def files(self, account_id: UUID, after: str) -> ExportFileList:
        """Return the files of a complete export whose names come after ``after``."""
        folder = self._complete(account_id)
        found = [file for file in folder.root.rglob("*") if file.is_file() and _NAME.fullmatch(file.name)]
        later = sorted((file for file in found if file.name > after), key=lambda file: file.name)
        return ExportFileList(
            data=[
                ExportFile(name=file.name, size_bytes=file.stat().st_size)
                for file in islice(later, EXPORT_FILES_AT_ONCE)
            ]
        )

    def file(self, account_id: UUID, name: str) -> Path:
        """Return the path of a file of a complete export."""
        folder = self._complete(account_id)
        if not _NAME.fullmatch(name):
            raise CommandProblem("The export has no such file.")
        path = folder.root / name if "." in name else folder.media(name)
        if not path.is_file():
            raise CommandProblem("The export has no such file.")
        folder.touch()
        return path

    def take_back(self, account_id: UUID) -> Departure:
        """Serve the account here again. Only the caller can know that no other service has it."""
        folder = self._folder(account_id)
        if folder.is_busy():
            raise CommandProblem("The service is still writing the export. Try again in a moment.")
        database = self.source.database
        if not database.read_now(lambda rows: _is_here(rows, account_id)):
            database.write_now(lambda rows: take_back(rows, account_id))
        folder.clear()
        return self.state(account_id)

    def forget(self, account_id: UUID) -> Departure:
        """Delete the files of an export that has arrived elsewhere. The account's own rows and files stay."""
        shutil.rmtree(self._folder(account_id).export.root, ignore_errors=True)
        return self.state(account_id)

    def _complete(self, account_id: UUID) -> ExportFolder:
        if self.state(account_id).state is not DepartureState.WRITTEN:
            raise CommandProblem("The export isn't complete. Begin it again to continue.")
        return self._folder(account_id).export

    def _departure(
        self,
        account_id: UUID,
        state: DepartureState,
        manifest: Manifest | None = None,
        *,
        problem: str | None = None,
    ) -> Departure:
        return Departure(
            account_id=account_id,
            export_id=manifest.export_id if manifest else None,
            state=state,
            problem=problem,
            has_secrets=manifest.secrets is not None if manifest else self.gives_secrets,
            size_bytes=manifest.media_bytes if manifest else 0,
        )

    def _folder(self, account_id: UUID) -> VisitorFolder:
        return VisitorFolder(self.root, account_id)


def _is_here(rows: Connection, account_id: UUID) -> bool:
    """Whether this service has the account. Raises CommandProblem while it's arriving."""
    last = read_transfer(rows, account_id)
    if last is not None and last.phase in {Phase.ARRIVING, Phase.CANCELLED}:
        raise CommandProblem("The account isn't complete here. Finish its move to this service first.")
    moved_at = select(accounts.c.moved_at).where(accounts.c.id == account_id)
    return rows.scalar(moved_at) is None
