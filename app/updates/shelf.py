"""The folder of installers, and starting one at the very end of the app. Blocking."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from app.disk import replace, write_private
from app.updates.build import Channel, Kind, Version
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
        """Name it by its version, because two releases may use the same file name."""
        return cls(version=version, name=f"{version}-{installer.name}", sha256=installer.sha256)


class State(BaseModel):
    """State between two starts.

    Attributes:
        checked_at: Time of the last check, in ms since 1970 UTC.
        published_at: Publication time of the newest feed seen; older feeds are refused.
        ready: Installer of the pending update.
        current: Installer of the running version, if this app downloaded it.
        previous: Installer to go back to.
        skipped: Version that the user went back from; only a newer one is installed unless they ask for it.
    """

    model_config = ConfigDict(frozen=True)

    checked_at: int = 0
    published_at: AwareDatetime | None = None
    ready: Kept | None = None
    current: Kept | None = None
    previous: Kept | None = None
    skipped: str = ""


class Shelf:
    """The installers of a data folder, which only one app uses at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = State()

    def open(self, running: Version) -> None:
        """Load the state, and note which version is now running: the pending or an older one.

        Raises OSError.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self.state = State.model_validate_json((self.folder / _STATE).read_bytes())
        except (FileNotFoundError, ValidationError):
            self.state = State()
        ready = self.state.ready
        if ready is not None and _number(ready.version) <= running:
            is_it = _number(ready.version) == running
            others = (one for one in (self.state.current, self.state.previous) if one)
            previous = next((one for one in others if one.version != ready.version), None)
            changes = {"current": ready, "previous": previous} if is_it else {}
            self.change(ready=None, **changes)
        current = self.state.current
        if current is not None and running < _number(current.version):
            before = self.state.previous
            is_it = before is not None and _number(before.version) == running
            self.change(skipped=current.version, current=before if is_it else None, previous=None)
        self._tidy()

    def skips(self, version: str) -> bool:
        """Whether the user went back from this version or a newer one."""
        return bool(self.state.skipped) and _number(version) <= _number(self.state.skipped)

    def change(self, **values: object) -> None:
        """Change and save values of the state. Raises OSError."""
        self.state = self.state.model_copy(update=values)
        write_private(self.folder / _STATE, json.dumps(self.state.model_dump(mode="json")).encode())

    def note_seen(self, feed: Feed, running: Version) -> None:
        """Remember the feed. Raises Refused if it's older than another one or than the running version."""
        seen = self.state.published_at
        if (seen is not None and feed.published_at < seen) or _number(feed.version) < running:
            raise Refused(Reason.OLDER)
        self.change(published_at=feed.published_at)

    def place(self, kept: Kept) -> Path:
        """Return the path of an installer."""
        return self.folder / kept.name

    def has(self, kept: Kept) -> bool:
        """Whether this installer is already pending and intact."""
        return self.state.ready == kept and self.is_whole(kept)

    def take(self, kept: Kept) -> None:
        """Make a downloaded installer the pending one."""
        self.change(ready=kept)
        self._tidy()

    def is_whole(self, kept: Kept) -> bool:
        """Whether an installer exists with the signed content."""
        return sha256_of(self.place(kept)) == kept.sha256

    def drop_ready(self) -> None:
        """Forget the pending installer."""
        self.change(ready=None)
        self._tidy()

    def _tidy(self) -> None:
        """Remove files that aren't needed for going back."""
        kept = {one.name for one in (self.state.ready, self.state.current, self.state.previous) if one}
        for file in self.folder.iterdir():
            if file.is_file() and file.name not in kept | {_STATE}:
                file.unlink(missing_ok=True)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file; empty if it doesn't exist."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


def _number(text: str) -> Version:
    return Version.read(text)


QUIET_MS: Final = 10 * 60_000
"""Time before a due post in which no installation starts, in ms."""


def install(channel: Channel, shelf: Shelf) -> bool:
    """Install the pending update if its bytes are still as signed; False if there's none.

    Raises Refused for changed bytes, which are deleted, and OSError.
    """
    ready = shelf.state.ready
    if ready is None:
        return False
    if not shelf.is_whole(ready):
        shelf.drop_ready()
        raise Refused(Reason.CHANGED)
    if channel.kind is Kind.APPIMAGE and channel.appimage is not None:
        _replace(channel, shelf, ready, channel.appimage)
    else:
        _start(command(channel.kind, shelf.place(ready)))
    return True


def command(kind: Kind, file: Path) -> list[str]:
    """Return the command that starts an installer: silent on Windows, opened for the user on macOS."""
    return [str(file), "/S"] if kind is Kind.NSIS else ["/usr/bin/open", str(file)]


def _replace(channel: Channel, shelf: Shelf, ready: Kept, image: Path) -> None:
    """Replace the running AppImage, which stays mounted, and keep it for going back."""
    fresh = image.with_name(f".{image.name}.new")
    try:
        shutil.copyfile(shelf.place(ready), fresh)
        if sha256_of(fresh) != ready.sha256:
            raise Refused(Reason.CHANGED)
        fresh.chmod(0o755)
        if shelf.state.current is None:
            name = f"Kalends-{channel.version}-before.AppImage"
            shutil.copy(image, shelf.folder / name)
            sha256 = sha256_of(shelf.folder / name)
            shelf.change(current=Kept(version=str(channel.version), name=name, sha256=sha256))
        replace(fresh, image)
    finally:
        fresh.unlink(missing_ok=True)


def _start(arguments: list[str]) -> None:
    """Start a program that outlives this one and may start the new version."""
    home = Path.home()
    # Otherwise the bootloader treats the new version as a child that shares the old one's files.
    environment = {**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"}
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(arguments, cwd=home, env=environment, creationflags=flags)  # noqa: S603  verified
    else:
        null = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603  verified
            arguments,
            cwd=home,
            env=environment,
            start_new_session=True,
            stdin=null,
            stdout=null,
            stderr=null,
        )
