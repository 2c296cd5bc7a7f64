"""Windows: an installer for one user, and a portable folder as a .zip."""

import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from setup.project import ROOT, SetupError

from release import freeze, icons
from release.version import version

_SCRIPT: Final = ROOT / "packaging" / "windows" / "kalends.nsi"
_LICENCE: Final = ROOT / "packaging" / "licences" / "GPL-3.0.txt"
_SIGN_COMMAND: Final = "KALENDS_SIGN_COMMAND"
"""Environment variable: the command that signs a program, which gets its path. Without it, none is signed."""
_WORK: Final = freeze.WORK / "windows"
PORTABLE_MARK: Final = "portable.txt"
"""If this file is next to the program, Kalends stores its data there; see `app.desktop.options`."""
_PORTABLE_NOTE: Final = (
    "Because of this file Kalends keeps your posts and settings in the folder kalends-data beside it.\r\n"
    "Without this file it keeps them in your user profile.\r\n"
)


@dataclass(frozen=True)
class Installer:
    """Input of an installer.

    Attributes:
        payload: The frozen app's folder, with `kalends.exe` and `_internal`.
        version: Version, such as 1.2.3.
        target: The .exe to write.
        options: Additional options of makensis, before the script.
    """

    payload: Path
    version: str
    target: Path
    options: tuple[str, ...] = ()


def make_nsis() -> Path:
    """Build the installer and the portable .zip, and return the installer."""
    payload = _provide_bundle()
    number = version()
    make_portable(payload, freeze.BUNDLE.parent / f"kalends-{number}-windows-x64.zip")
    return make_installer(
        Installer(payload, number, freeze.BUNDLE.parent / f"kalends-{number}-windows-x64-setup.exe")
    )


def make_installer(installer: Installer) -> Path:
    """Compile the script. Raises SetupError without NSIS, CalledProcessError if the script is invalid."""
    installer.target.parent.mkdir(parents=True, exist_ok=True)
    values = {
        "VERSION": installer.version,
        "VERSION_4": four_numbers(installer.version),
        "PAYLOAD": str(installer.payload),
        "PAYLOAD_KB": str(size_kb(installer.payload)),
        "ICON": str(icons.write_ico(_WORK / "kalends.ico")),
        "LICENCE": str(_LICENCE),
        "OUTPUT": str(installer.target),
    }
    if signing := os.environ.get(_SIGN_COMMAND):
        values["SIGN"] = signing  # for the uninstaller, too, which only the compiler has in its hands
    defined = [f"-D{name}={value}" for name, value in values.items()]
    command = [_makensis(), "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defined, *installer.options, str(_SCRIPT)]
    subprocess.run(command, check=True)
    return installer.target


def make_portable(payload: Path, target: Path) -> Path:
    """Build a .zip to unpack and run anywhere, such as from a USB stick. It stores its data in its folder."""
    target.unlink(missing_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr(f"Kalends/{PORTABLE_MARK}", _PORTABLE_NOTE)
        for file in sorted(payload.rglob("*")):
            if file.is_file():
                packed.write(file, Path("Kalends") / file.relative_to(payload))
    return target


def four_numbers(version: str) -> str:
    """Return the version in the format of Windows: 1.2.3.0 for 1.2.3rc1."""
    numbers = re.findall(r"\d+", re.split(r"[a-z+-]", version, maxsplit=1)[0])
    return ".".join((*numbers, "0", "0", "0", "0")[:4])


def size_kb(folder: Path) -> int:
    """Return the size of a folder in KiB, for the list of installed programs."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 1024


def _provide_bundle() -> Path:
    if not (freeze.BUNDLE / "kalends.exe").is_file():
        freeze.make()
    if not (freeze.BUNDLE / "kalends.exe").is_file():
        raise SetupError("The Windows installer needs an app that was frozen on Windows.")
    return freeze.BUNDLE


def _makensis() -> str:
    usual = Path(os.environ.get("PROGRAMFILES(X86)", "C:/")) / "NSIS" / "makensis.exe"
    found = shutil.which("makensis") or (str(usual) if usual.is_file() else None)
    if found is None:
        raise SetupError("The installer needs NSIS: https://nsis.sourceforge.io, or Debian's package nsis.")
    return found
