"""For macOS: a .dmg with the app, signed so that it may run. Made on macOS alone."""

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
APP: Final = freeze.BUNDLE.parent / "Kalends.app"
_STAGED: Final = freeze.WORK / "macos" / "image"
_IDENTITY: Final = "KALENDS_SIGN_IDENTITY"
"""Names a certificate in the keychain; without it the app is signed for this computer alone."""


def information() -> dict[str, Any]:
    """What Info.plist says of the app; `kalends.spec` hands it to PyInstaller."""
    told: dict[str, Any] = plistlib.loads((_SOURCES / "Info.plist").read_bytes())
    return told | {"CFBundleShortVersionString": version(), "CFBundleVersion": version()}


def make_dmg() -> Path:
    """The disk image from which the app is dragged to Applications."""
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
