"""For Windows: an installer for one person, and a portable folder as a .zip."""

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
_WORK: Final = freeze.WORK / "windows"
PORTABLE_MARK: Final = "portable.txt"
"""Beside the program, it has Kalends keep its data there; `app.desktop.folders` looks for it."""
_PORTABLE_NOTE: Final = (
    "Because of this file Kalends keeps your posts and settings in the folder kalends-data beside it.\r\n"
    "Without this file it keeps them in your user profile.\r\n"
)


@dataclass(frozen=True)
class Installer:
    """What an installer is made of.

    Attributes:
        payload: the frozen app's folder, with `kalends.exe` and `_internal`.
        version: such as 1.2.3.
        target: the .exe to write.
        options: further options of makensis, in front of the script.
    """

    payload: Path
    version: str
    target: Path
    options: tuple[str, ...] = ()


def make_nsis() -> Path:
    """The installer and the portable .zip; returns the installer."""
    payload = _provide_bundle()
    number = version()
    make_portable(payload, freeze.BUNDLE.parent / f"kalends-{number}-windows-x64.zip")
    return make_installer(
        Installer(payload, number, freeze.BUNDLE.parent / f"kalends-{number}-windows-x64-setup.exe")
    )


def make_installer(installer: Installer) -> Path:
    """Compile the script. Raises SetupError without NSIS, CalledProcessError when the script is wrong."""
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
    defined = [f"-D{name}={value}" for name, value in values.items()]
    command = [_makensis(), "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defined, *installer.options, str(_SCRIPT)]
    subprocess.run(command, check=True)
    return installer.target


def make_portable(payload: Path, target: Path) -> Path:
    """A .zip that is unpacked and run anywhere, such as from a stick; its data stays in its folder."""
    target.unlink(missing_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr(f"Kalends/{PORTABLE_MARK}", _PORTABLE_NOTE)
        for file in sorted(payload.rglob("*")):
            if file.is_file():
                packed.write(file, Path("Kalends") / file.relative_to(payload))
    return target


def four_numbers(version: str) -> str:
    """A version as Windows wants it in a program: 1.2.3rc1 is 1.2.3.0."""
    numbers = re.findall(r"\d+", re.split(r"[a-z+-]", version, maxsplit=1)[0])
    return ".".join((*numbers, "0", "0", "0", "0")[:4])


def size_kb(folder: Path) -> int:
    """How much a folder holds, in units of 1024 bytes, as the list of installed programs shows it."""
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
