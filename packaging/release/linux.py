"""Linux packages: .deb and .rpm from one description, and the folder for an AppImage."""

import os
import platform
import shutil
import subprocess
import time
import tomllib
from itertools import chain, repeat
from pathlib import Path
from string import Template
from typing import Final
from xml.sax.saxutils import escape

from setup.project import ROOT, SetupError

from release import elf, fetched, freeze

_SOURCES: Final = ROOT / "packaging" / "linux"
_SHARE: Final = freeze.WORK / "linux" / "share"
_DIST: Final = freeze.BUNDLE.parent
_ICON_SIDES: Final = (16, 32, 48, 64, 128, 256, 512)
_HOME: Final = "KALENDS_HOME_URL"
"""Environment variable with the repository's address, such as https://github.com/NAME/kalends."""
_SCREENSHOTS: Final = {
    "month": ("The month, with posts to several accounts", "Der Monat mit Beiträgen für mehrere Konten"),
    "composer": ("Writing a post, with a preview", "Einen Beitrag schreiben, mit Vorschau"),
    "week-dark": ("The week, in the dark theme", "Die Woche im dunklen Design"),
    "analytics": ("Analytics of the last weeks", "Auswertung der letzten Wochen"),
}
"""Captions in English and German, by file in docs/screenshots; the first one is shown first."""

_PACKAGES: Final = {
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libc.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libm.so.6": "libc6",
    "libmvec.so.1": "libc6",
    "libpthread.so.0": "libc6",
    "libresolv.so.2": "libc6",
    "librt.so.1": "libc6",
    "libutil.so.1": "libc6",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libexpat.so.1": "libexpat1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libgio-2.0.so.0": "libglib2.0-0",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgmodule-2.0.so.0": "libglib2.0-0",
    "libgobject-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
}
"""Debian package of each library that a bundle takes from the system."""
_RECOMMENDED: Final = frozenset({"libcups.so.2"})
"""Libraries that are only needed for printing."""
_DATA: Final = ("xkb-data", "fontconfig-config")
"""Qt's window needs key maps for keyboard input, and fontconfig's settings to find fonts."""


def make_deb(*, quick: bool = False) -> Path:
    """Build a .deb for this machine's architecture; ``quick`` compresses less."""
    loose = _packed("deb", freeze.WORK / "linux" / "loose.deb")
    folder = freeze.WORK / "linux" / "deb"
    shutil.rmtree(folder, ignore_errors=True)
    _run("dpkg-deb", "--raw-extract", loose, folder)
    name = f"kalends_{_version()}_{_architecture()}.deb"
    # nfpm's own compressors produce files that are a fifth larger.
    how = ["-Zzstd", "-z1"] if quick else ["-Zxz", "-z9", "-Sextreme", "--threads-max=1"]
    _run("dpkg-deb", "--root-owner-group", *how, "--build", folder, _DIST / name)
    return _DIST / name


def make_rpm() -> Path:
    """Build an .rpm for this machine's architecture."""
    return _packed("rpm", _DIST / f"kalends-{_version()}.{platform.machine()}.rpm")


def make_appdir() -> Path:
    """Build the folder for `make_appimage`.

    It also runs by itself, even read-only: `Kalends.AppDir/AppRun`.
    """
    _provide_bundle()
    folder = _DIST / "Kalends.AppDir"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(freeze.BUNDLE, folder / "usr" / "lib" / "kalends", symlinks=True)
    _fill_share(folder / "usr" / "share")
    shutil.copy(_SOURCES / "kalends.desktop", folder)
    shutil.copy(_icon(256), folder / "kalends.png")
    start = folder / "AppRun"
    start.write_text(
        '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/usr/lib/kalends/kalends" "$@"\n', "ascii"
    )
    start.chmod(0o755)
    return folder


def make_appimage() -> Path:
    """Build an AppImage with appimagetool, which isn't on any package index.

    Uses the tool on the PATH; for x86_64, downloads it otherwise. Skips AppStream's check, because that
    requires screenshots on the web. Raises SetupError without the tool.
    """
    tool = _appimagetool()
    folder = make_appdir()
    target = _DIST / f"Kalends-{_version()}-{platform.machine()}.AppImage"
    target.unlink(missing_ok=True)
    settings = {**os.environ, "ARCH": platform.machine(), "VERSION": _version()}
    command = (*tool, "--no-appstream", "--comp", "zstd", folder, target)
    subprocess.run(command, cwd=ROOT, env=settings, check=True, stdout=subprocess.DEVNULL)
    return target


def _appimagetool() -> tuple[str | Path, ...]:
    """Return the command, including the runtime if both are downloaded."""
    if found := shutil.which("appimagetool"):
        return (found,)
    if platform.machine() != "x86_64":
        raise SetupError("appimagetool isn't installed. Get it from github.com/AppImage/appimagetool.")
    tool = fetched.fetch(fetched.APPIMAGE_TOOL, freeze.WORK)
    tool.chmod(0o755)
    runtime = fetched.fetch(fetched.APPIMAGE_RUNTIME, freeze.WORK)
    # The tool is an AppImage itself, which needs FUSE unless it extracts itself.
    return tool, "--appimage-extract-and-run", "--runtime-file", runtime


def needed(bundle: Path) -> set[str]:
    """Return the libraries that the bundle loads and doesn't contain."""
    return elf.loaded(bundle) - {file.name for file in bundle.rglob("*.so*")} - _RECOMMENDED


def _packed(packager: str, target: Path) -> Path:
    _provide_bundle()
    shutil.rmtree(_SHARE, ignore_errors=True)
    _fill_share(_SHARE)
    libraries = sorted(needed(freeze.BUNDLE))
    if strange := [name for name in libraries if name not in _PACKAGES]:
        raise SetupError(f"No known package contains {', '.join(strange)}.")
    debian = sorted({_PACKAGES[name] for name in libraries} | set(_DATA))
    # The newer of the glibc versions that the wheels and this machine's Python were built for.
    debian[debian.index("libc6")] = f"libc6 (>= {elf.glibc(freeze.BUNDLE)})"
    bits = "()(64bit)"
    values = {
        "VERSION": _version(),
        "ARCH": _architecture(),
        "TIME": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_time())),
        "DEBIAN_DEPENDS": "\n".join(f'      - "{name}"' for name in debian),
        "RPM_DEPENDS": "\n".join(
            f'      - "{name}{bits}"' for name in libraries if not name.startswith("ld-")
        ),
    }
    told = freeze.WORK / "linux" / "nfpm.yaml"
    told.write_text(Template((_SOURCES / "nfpm.yaml").read_text("utf-8")).substitute(values), "utf-8")
    target.unlink(missing_ok=True)
    _run(freeze.tool("nfpm"), "package", "--config", told, "--packager", packager, "--target", target)
    return target


def _provide_bundle() -> None:
    if not freeze.BUNDLE.is_dir():
        freeze.make()


def _fill_share(share: Path) -> None:
    for place in ("applications", "metainfo", "doc/kalends"):
        (share / place).mkdir(parents=True)
    shutil.copy(_SOURCES / "kalends.desktop", share / "applications")
    day = time.strftime("%Y-%m-%d", time.gmtime(_time()))
    (share / "metainfo" / "kalends.metainfo.xml").write_text(metainfo(day), "utf-8")
    for side in _ICON_SIDES:
        folder = share / "icons" / "hicolor" / f"{side}x{side}" / "apps"
        folder.mkdir(parents=True)
        shutil.copy(_icon(side), folder / "kalends.png")
    scalable = share / "icons" / "hicolor" / "scalable" / "apps"
    scalable.mkdir(parents=True)
    shutil.copy(ROOT / "resources" / "icons" / "kalends.svg", scalable)
    shutil.copy(ROOT / "packaging" / "licences" / "GPL-3.0.txt", share / "doc" / "kalends" / "copyright")
    shutil.copy(ROOT / "CHANGELOG.md", share / "doc" / "kalends")


def metainfo(day: str) -> str:
    """Return what software centres show about this version, released on `day`.

    They load screenshots from the web, so there are none without the address in KALENDS_HOME_URL.
    """
    template = Template((_SOURCES / "kalends.metainfo.xml").read_text("utf-8"))
    return template.substitute({"VERSION": _version(), "DATE": day, "ONLINE": _online()})


def _online() -> str:
    home = os.environ.get(_HOME)
    if not home:
        return ""
    address = escape(home)
    shown = [
        f"    <screenshot{kind}>\n"
        f"      <caption>{english}</caption>\n"
        f'      <caption xml:lang="de">{german}</caption>\n'
        f"      <image>{address}/raw/v{_version()}/docs/screenshots/{name}.png</image>\n"
        "    </screenshot>\n"
        for kind, (name, (english, german)) in zip(
            chain([' type="default"'], repeat("")), _SCREENSHOTS.items(), strict=False
        )
    ]
    home_page = f'  <url type="homepage">{address}</url>\n  <url type="bugtracker">{address}/issues</url>\n'
    return f"{home_page}  <screenshots>\n{''.join(shown)}  </screenshots>\n"


def _icon(side: int) -> Path:
    return ROOT / "resources" / "icons" / f"kalends-{side}.png"


def _version() -> str:
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def _architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]


def _time() -> int:
    """Return the time of the last commit, so that builds are reproducible."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    told = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return int(told.stdout or time.time())


def _run(*command: str | Path) -> None:
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
