"""Starting the installer at the very end of the app. Blocking."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from app.updates.build import Channel, Kind
from app.updates.feed import Reason, Refused
from app.updates.shelf import Kept, Shelf, sha256_of

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
        fresh.replace(image)
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
