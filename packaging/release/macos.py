"""A .dmg for macOS with the signed app. Can only be built on macOS."""

import os
import platform
import plistlib
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from setup.project import ROOT, SetupError

from release import freeze
from release.version import version

_SOURCES: Final = ROOT / "packaging" / "macos"
ENTITLEMENTS: Final = _SOURCES / "entitlements.plist"
SERVICES_MENU: Final = _SOURCES / "de.lproj" / "ServicesMenu.strings"
"""The German name of the item in the Services menu."""
APP: Final = freeze.BUNDLE.parent / "Kalends.app"
_STAGED: Final = freeze.WORK / "macos" / "image"
_IDENTITY: Final = "KALENDS_SIGN_IDENTITY"
"""Environment variable with a certificate in the keychain.

Without it, the app is signed for this computer.
"""


def information() -> dict[str, Any]:
    """Return the content of Info.plist, which `kalends.spec` passes to PyInstaller."""
    told: dict[str, Any] = plistlib.loads((_SOURCES / "Info.plist").read_bytes())
    return told | {"CFBundleShortVersionString": version(), "CFBundleVersion": version()}


def make_dmg() -> Path:
    """Build a disk image from which users drag the app to Applications."""
    if platform.system() != "Darwin":
        raise SetupError("A .dmg can only be built on macOS.")
    if not APP.is_dir():
        freeze.make()
    _sign()
    shutil.rmtree(_STAGED, ignore_errors=True)
    _STAGED.mkdir(parents=True)
    shutil.copytree(APP, _STAGED / APP.name, symlinks=True)
    (_STAGED / "Applications").symlink_to("/Applications")
    target = APP.with_name(f"Kalends-{version()}-macos-{platform.machine()}.dmg")
    _run("hdiutil", "create", "-volname", "Kalends", "-srcfolder", _STAGED, "-ov", "-format", "ULFO", target)
    return target


def _sign() -> None:
    identity = os.environ.get(_IDENTITY, "-")
    hardened = ("--options", "runtime", "--entitlements", ENTITLEMENTS)
    when = "--timestamp" if identity != "-" else "--timestamp=none"
    _run("codesign", "--force", "--deep", *hardened, when, "--sign", identity, APP)
    _run("codesign", "--verify", "--deep", "--strict", APP)


def _run(*command: str | Path) -> None:
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
