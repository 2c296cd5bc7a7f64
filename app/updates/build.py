"""Update settings of this build: the feed, the trusted keys, and how it was installed."""

import base64
import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple, Self

from app import resources

MANAGED: Final = "managed-by"
"""A file next to the executable that turns updates off, because a package manager does them."""
UNINSTALLER: Final = "uninstall.exe"
"""A file next to the executable that only the Windows installer creates; the portable folder has none."""
_SETTINGS: Final = "updates.json"
_NUMBERS: Final = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", re.ASCII)
_PROCESSORS: Final = {"amd64": "x64", "x86_64": "x64", "arm64": "arm64", "aarch64": "arm64"}
_SYSTEMS: Final = {"win32": "windows", "darwin": "macos", "linux": "linux"}


class Version(NamedTuple):
    """A release version. Others, such as previews, are never offered."""

    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `1.2.3`. Raises ValueError for anything else."""
        found = _NUMBERS.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return cls(*(int(number) for number in found.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


class Kind(StrEnum):
    """How the app was installed, which decides the kind of installer."""

    NSIS = "nsis"
    DMG = "dmg"
    APPIMAGE = "appimage"


@dataclass(frozen=True, slots=True)
class Channel:
    """Where this build gets updates.

    Attributes:
        feed: The https URL of the feed.
        keys: Ed25519 public keys of 32 bytes; any of them can sign a feed.
        version: The running version.
        system: System name, such as `linux-x64`.
        kind: How it was installed.
        appimage: The file to replace; None for other kinds.
    """

    feed: str
    keys: tuple[bytes, ...]
    version: Version
    system: str
    kind: Kind
    appimage: Path | None = None


def channel() -> Channel | None:
    """Return where to get updates; None if this build doesn't update itself. Blocking."""
    if not getattr(sys, "frozen", False):
        return None
    kind = installed_as(Path(sys.executable).resolve().parent, os.environ, sys.platform)
    if kind is None:
        return None
    try:
        settings = json.loads(resources.path(_SETTINGS).read_text("utf-8"))
        keys = tuple(base64.b64decode(key, validate=True) for key in settings["keys"])
        running = Version.read(version("kalends"))
    except (KeyError, ValueError, PackageNotFoundError):
        return None
    if not settings["feed"] or not keys:
        return None
    appimage = Path(os.environ["APPIMAGE"]) if kind is Kind.APPIMAGE else None
    return Channel(settings["feed"], keys, running, system_name(), kind, appimage)


def installed_as(folder: Path, environ: Mapping[str, str], system: str) -> Kind | None:
    """Return how the app in ``folder`` was installed; None if it mustn't replace itself."""
    if (folder / MANAGED).exists():
        return None
    if system == "win32":
        return Kind.NSIS if (folder / UNINSTALLER).is_file() else None
    if system == "darwin":
        return Kind.DMG if any(part.suffix == ".app" for part in (folder, *folder.parents)) else None
    image = environ.get("APPIMAGE", "")
    is_ours = bool(image) and Path(image).is_file() and os.access(Path(image).parent, os.W_OK)
    return Kind.APPIMAGE if is_ours else None


def system_name() -> str:
    """Return the name that feeds use for this system, such as `windows-x64`."""
    machine = platform.machine().lower()
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_PROCESSORS.get(machine, machine)}"
