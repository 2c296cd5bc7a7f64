"""The folder of an export: its files, its manifest, and the state of an export that isn't complete."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.contract.base import Timestamp
from app.disk import flush_folder, open_private, replace, write_private
from app.service.problems import CommandProblem
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX
from app.service.transfer.contents import NAMES, Part
from app.service.transfer.lines import LINE_BYTES_MAX
from app.service.transfer.sealing import Sealing

_MANIFEST_BYTES_MAX: Final = 1024 * 1024
_COUNT_MAX: Final = 2**40
Count = Annotated[int, Field(ge=0, le=_COUNT_MAX)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Written(_Strict):
    """A complete file of rows: how many, and the SHA-256 of the file in hexadecimal."""

    rows: Count
    sha256: Sha256


class AccountFacts(_Strict):
    """The account itself. Its plan is up to each service."""

    id: UUID
    name: Annotated[str, Field(min_length=1, max_length=ACCOUNT_NAME_MAX, pattern=r"^[^\x00]*$")]
    created_at: Timestamp
    paused_at: Timestamp | None


class Manifest(_Strict):
    """Describes a complete export. Written last, so a folder without it isn't complete.

    Attributes:
        format: Always ``kalends-export``.
        version: Version of the format.
        export_id: A random id of the export.
        move: How many times the account has been handed over, including this time.
        exported_at: When the export was complete.
        account: The account.
        tables: The files of rows, by table.
        media_files: Number of different files, and ``media_bytes`` their total size.
        secrets: The file with secrets; None if they were left out.
        sealing: How the secrets are encrypted.
        left_out: Storage paths of files that were missing or damaged.
    """

    format: Literal["kalends-export"] = "kalends-export"
    version: Literal[1] = 1
    export_id: UUID
    move: Annotated[int, Field(ge=1, le=1_000_000)]
    exported_at: Timestamp
    account: AccountFacts
    tables: dict[str, Written]
    media_files: Count
    media_bytes: Count
    secrets: Written | None
    sealing: Sealing | None
    left_out: list[Annotated[str, Field(max_length=1_000)]]


class Draft(_Strict):
    """The state of an export that isn't complete. With it, running the export again continues."""

    export_id: UUID
    move: int
    sealing: Sealing | None
    tables: dict[str, Written] = {}


T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class ExportFolder:
    """The folder of one account's export."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def draft(self) -> Path:
        return self.root / "unfinished.json"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets.ndjson"

    def touch(self) -> None:
        """Note that somebody is still moving files of the export. Blocking. Raises OSError."""
        os.utime(self.root)

    def rows(self, part: Part) -> Path:
        return self.root / f"{part.name}.ndjson"

    def media(self, sha256: str) -> Path:
        return self.root / "media" / sha256[:2] / sha256

    def read_manifest(self) -> Manifest | None:
        """Return the manifest; None if the export isn't complete. Raises CommandProblem naming the field."""
        return read_manifest(self.manifest)

    def export_id(self) -> UUID | None:
        """Return the id of the export; None without one. Raises CommandProblem naming the field."""
        state = self.read_manifest() or self.read_draft()
        return None if state is None else state.export_id

    def read_draft(self) -> Draft | None:
        return _read(self.draft, Draft)

    def write(self, state: Manifest | Draft) -> None:
        """Replace the manifest or the draft; durable on return. Blocking. Raises OSError."""
        path = self.manifest if isinstance(state, Manifest) else self.draft
        write_private(path, state.model_dump_json(indent=2).encode())
        flush_folder(self.root)


def read_manifest(path: Path) -> Manifest | None:
    """Return the manifest in a file; None without one. Raises CommandProblem naming the field."""
    found = _read(path, Manifest)
    if found is not None and set(found.tables) != set(NAMES):
        raise CommandProblem(
            f"{path} can't be imported: tables: must be {', '.join(NAMES)}. Use a newer version."
        )
    return found


def _read(path: Path, model: type[T]) -> T | None:
    try:
        if path.stat().st_size > _MANIFEST_BYTES_MAX:
            raise CommandProblem(f"{path} is too large for an export. Export the account again.")
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise CommandProblem(f"{path} can't be imported: {field}: {first['msg']}.") from None


class LineWriter:
    """Writes a file of lines, which appears when it's complete. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._digest = hashlib.sha256()
        self._rows = 0
        self._file = open_private(self._part)

    def write(self, line: bytes) -> None:
        """Append a line that ends in a line feed. Raises OSError."""
        self._file.write(line)
        self._digest.update(line)
        self._rows += 1

    def finish(self) -> Written:
        """Flush the file and give it its name."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        replace(self._part, self._path)
        return self.written

    @property
    def written(self) -> Written:
        return Written(rows=self._rows, sha256=self._digest.hexdigest())

    def abandon(self) -> None:
        """Delete an incomplete file."""
        self._file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. Raises CommandProblem for a long or an unfinished one, and OSError."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LINE_BYTES_MAX + 1):
            number += 1
            if not line.endswith(b"\n"):
                raise CommandProblem(f"Line {number:,} of {path.name} is too long or unfinished.")
            yield line


def check_lines(path: Path, expected: Written) -> Iterator[bytes]:
    """Yield the lines of a file. Raises CommandProblem in the end if they aren't those of the manifest."""
    digest, rows = hashlib.sha256(), 0
    try:
        for line in read_lines(path):
            digest.update(line)
            rows += 1
            if rows > expected.rows:
                break
            yield line
    except FileNotFoundError:
        raise CommandProblem(f"{path} is missing. Copy the whole folder of the export.") from None
    if rows != expected.rows or digest.hexdigest() != expected.sha256:
        raise CommandProblem(
            f"{path} isn't the file that the manifest describes: sha256. Copy the folder of the export again."
        )
