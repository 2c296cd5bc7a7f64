"""The folder of installers: the one that waits, the one that runs, and the one to go back to. Blocking."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Final, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from app.updates.build import Version
from app.updates.feed import Feed, Installer, Reason, Refused

_STATE: Final = "updates.json"


class Kept(BaseModel):
    """An installer in the folder."""

    model_config = ConfigDict(frozen=True)

    version: str
    name: str
    sha256: str

    @classmethod
    def of(cls, version: str, installer: Installer) -> Self:
        """Name it by its version: two releases may call their files the same."""
        return cls(version=version, name=f"{version}-{installer.name}", sha256=installer.sha256)


class State(BaseModel):
    """What is known between two starts.

    Attributes:
        checked_at: Of the last check that reached the feed, in ms since 1970 UTC.
        published_at: Of the newest feed that was ever seen; older ones are refused.
        ready: Waits to be installed.
        current: The installer of what runs, where this app has downloaded it.
        previous: The installer to go back with.
    """

    model_config = ConfigDict(frozen=True)

    checked_at: int = 0
    published_at: AwareDatetime | None = None
    ready: Kept | None = None
    current: Kept | None = None
    previous: Kept | None = None


class Shelf:
    """One for a data folder, which only one app uses at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = State()

    def open(self, running: Version) -> None:
        """Read what is known, and note when the waiting version is the one that runs now. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self.state = State.model_validate_json((self.folder / _STATE).read_bytes())
        except (FileNotFoundError, ValidationError):
            self.state = State()
        ready = self.state.ready
        if ready is not None and _number(ready.version) <= running:
            is_it = _number(ready.version) == running
            previous = self.state.current or self.state.previous
            changes = {"current": ready, "previous": previous} if is_it else {}
            self.change(ready=None, **changes)
        self._tidy()

    def change(self, **values: object) -> None:
        """Keep other values of the state. Raises OSError."""
        self.state = self.state.model_copy(update=values)
        text = json.dumps(self.state.model_dump(mode="json"))
        descriptor, name = tempfile.mkstemp(prefix=".state-", dir=self.folder)  # for the owner alone
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.folder / _STATE)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def note_seen(self, feed: Feed, running: Version) -> None:
        """Refuse a feed that is older than another one or than what runs; otherwise remember it."""
        seen = self.state.published_at
        if (seen is not None and feed.published_at < seen) or _number(feed.version) < running:
            raise Refused(Reason.OLDER)
        self.change(published_at=feed.published_at)

    def place(self, kept: Kept) -> Path:
        """Return where an installer is."""
        return self.folder / kept.name

    def has(self, kept: Kept) -> bool:
        """Return whether this installer already waits, whole."""
        return self.state.ready == kept and self.is_whole(kept)

    def take(self, kept: Kept) -> None:
        """Have a downloaded installer wait, in place of one that did before."""
        self.change(ready=kept)
        self._tidy()

    def is_whole(self, kept: Kept) -> bool:
        """Return whether an installer is there with the content that was signed."""
        return sha256_of(self.place(kept)) == kept.sha256

    def drop_ready(self) -> None:
        """Forget the installer that waits."""
        self.change(ready=None)
        self._tidy()

    def _tidy(self) -> None:
        """Remove every file that nobody goes back to."""
        kept = {one.name for one in (self.state.ready, self.state.current, self.state.previous) if one}
        for file in self.folder.iterdir():
            if file.is_file() and file.name not in kept | {_STATE}:
                file.unlink(missing_ok=True)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, empty for one that isn't there."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


def _number(text: str) -> Version:
    return Version.read(text)
