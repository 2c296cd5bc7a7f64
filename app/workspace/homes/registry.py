"""Homes, and the list of them in a small file in the data folder."""

import threading
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.disk import move, write_whole
from app.language import tr
from app.workspace import foreign_texts
from app.workspace.messages import Problem


class HomeKind(StrEnum):
    """Where a home's service runs."""

    EMBEDDED = "embedded"
    REMOTE = "remote"


class Home(BaseModel):
    """One calendar's home. Its API key is stored elsewhere, see ``credentials``."""

    model_config = ConfigDict(frozen=True)

    id: UUID = Field(default_factory=uuid4)
    kind: HomeKind
    name: str
    base_url: str = ""  # of an embedded home: known once it runs
    ca_file: Path | None = None
    pinned_certificate: str | None = None  # PEM of the one certificate that is trusted, for private services
    practice: bool = False  # every platform behind an embedded service is a stand-in
    service_port: int = 0  # of an embedded home: kept, so that addresses stay the same over restarts
    practice_port: int = 0

    @property
    def is_embedded(self) -> bool:
        """Whether the app starts this home's service itself."""
        return self.kind is HomeKind.EMBEDDED


class Listing(BaseModel):
    """All homes, oldest first, and which was open last."""

    homes: list[Home] = []
    current: UUID | None = None


class Homes:
    """Reads and writes the list of homes. Blocking, for a few hundred bytes."""

    _changing = threading.Lock()

    def __init__(self, data: Path) -> None:
        self.data = data
        self._path = data / "homes.json"

    def all(self) -> list[Home]:
        """Return all homes, oldest first. Raises Problem if the list can't be read."""
        return self._read().homes

    def current(self) -> Home | None:
        """The home that was open last."""
        contents = self._read()
        return next((home for home in contents.homes if home.id == contents.current), None)

    def keep(self, home: Home) -> None:
        """Add or replace a home and make it the current one."""
        with self._changing:
            homes = self._read().homes
            is_known = any(one.id == home.id for one in homes)
            kept = [home if one.id == home.id else one for one in homes] if is_known else [*homes, home]
            self._write(Listing(homes=kept, current=home.id))

    def rename(self, home: Home, name: str) -> Home:
        """Rename a home. Raises Problem."""
        if not (name := " ".join(name.split())):
            raise Problem(tr("A calendar needs a name."), kind="name")
        with self._changing:
            contents = self._read()
            found = next((one for one in contents.homes if one.id == home.id), home)
            renamed = found.model_copy(update={"name": name})
            homes = [renamed if one.id == home.id else one for one in contents.homes]
            self._write(Listing(homes=homes, current=contents.current))
        return renamed

    def name_of(self, home: Home) -> str:
        """Return the stored name, which may be newer than that of ``home``."""
        return next((one.name for one in self.all() if one.id == home.id), home.name)

    def remove(self, home: Home) -> Path | None:
        """Remove a home; return where its files were moved, None if it had none. Raises Problem.

        The home must not be open.
        """
        with self._changing:
            before = self._read()
            others = [one for one in before.homes if one.id != home.id]
            newest = others[-1].id if others else None  # the next start opens it
            current = newest if before.current == home.id else before.current
            # Files first: if the app ends in between, the home is still listed and can be removed again.
            aside = self._set_aside(home)
            try:
                self._write(Listing(homes=others, current=current))
            except Problem:
                if aside is not None and not self.folder(home).exists():
                    with suppress(OSError):  # then the next removal returns where they are
                        move(aside, self.folder(home))
                raise
        return aside

    def _set_aside(self, home: Home) -> Path | None:
        """Move a home's files; return where they are now, None if it has none. Raises Problem."""
        removed = self.data / "removed"
        if not self.folder(home).exists():
            return max(removed.glob(f"*-{home.id}"), default=None)
        aside = removed / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{home.id}"
        try:
            removed.mkdir(parents=True, exist_ok=True)
            move(self.folder(home), aside)
        except OSError as error:
            raise Problem(
                tr(
                    "Couldn't move the files of {name}: {reason}. Nothing was removed. Close "
                    "other programs that use them, then try again.",
                    name=home.name,
                    reason=foreign_texts.why(error),
                ),
                details=str(error),
            ) from error
        return aside

    def listing(self) -> bytes:
        """Return the stored list, for a backup. Raises Problem."""
        return self._read().model_dump_json(indent=2).encode()

    def folder(self, home: Home) -> Path:
        """Return the folder of a home's files."""
        return self.data / "homes" / str(home.id)

    def _read(self) -> Listing:
        try:
            return Listing.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return Listing()
        except (OSError, ValidationError) as error:
            raise Problem(
                tr(
                    "Kalends can't read the list of calendars in {path}. Restore it from a backup, or move "
                    "it away to start over. The calendars themselves are in the folder next to it.",
                    path=self._path,
                ),
                details=str(error),
            ) from error

    def _write(self, contents: Listing) -> None:
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, contents.model_dump_json(indent=2).encode())
        except OSError as error:
            raise Problem(
                tr(
                    "Kalends can't write to {data}: {reason}. Free up space or choose another folder.",
                    data=self.data,
                    reason=foreign_texts.why(error),
                ),
                details=str(error),
            ) from error
