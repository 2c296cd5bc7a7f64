"""System packages: finding the package of a library, and installing it if allowed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from setup.project import SetupError


def debian_package(library: str) -> str:
    """Return the Debian package of `library`, by Debian's naming policy and its few exceptions."""
    for start, package in (("libglib-2.0.", "libglib2.0-0"), ("libgthread-2.0.", "libglib2.0-0")):
        if library.startswith(start):
            return package
    if library.startswith("libbrotli"):
        return "libbrotli1"
    if library == "libz.so.1":
        return "zlib1g"
    name, _, version = library.partition(".so.")
    name = name.lower().replace("_", "-")
    return f"{name}{'-' if name[-1:].isdigit() else ''}{version}"


# Arch has many libraries in one package; the first matching prefix wins.
_ARCH = (
    ("libglib-2.0.", "glib2"),
    ("libgthread-2.0.", "glib2"),
    ("libEGL.", "libglvnd"),
    ("libGL", "libglvnd"),
    ("libOpenGL.", "libglvnd"),
    ("libdbus-1.", "dbus"),
    ("libfreetype.", "freetype2"),
    ("libbrotli", "brotli"),
    ("libgssapi_krb5.", "krb5"),
    ("libxcb-icccm.", "xcb-util-wm"),
    ("libxcb-render-util.", "xcb-util-renderutil"),
    ("libxcb-util.", "xcb-util"),
    ("libxcb-cursor.", "xcb-util-cursor"),
    ("libxcb-image.", "xcb-util-image"),
    ("libxcb-keysyms.", "xcb-util-keysyms"),
    ("libxcb", "libxcb"),
    ("libX11", "libx11"),
    ("libwayland-", "wayland"),
    ("libz.", "zlib"),
)


def arch_package(library: str) -> str:
    """Return the Arch package of `library`."""
    for start, package in _ARCH:
        if library.startswith(start):
            return package
    return re.sub(r"\.so\..*", "", library)


def rpm_capability(library: str) -> str:
    """Return the capability by which every RPM system installs a library, whatever its package."""
    return f"{library}()(64bit)" if sys.maxsize > 2**32 else library


@dataclass(frozen=True)
class Manager:
    """A package manager: its commands, and its names for library packages."""

    program: str
    commands: tuple[tuple[str, ...], ...]
    package: Callable[[str], str]

    def lines(self, packages: Iterable[str], *, sudo: bool) -> list[list[str]]:
        """Return the commands that install `packages`; the last one takes their names."""
        commands = [[*(["sudo"] if sudo else []), *command] for command in self.commands]
        commands[-1] += packages
        return commands


@dataclass(frozen=True)
class Program:
    """A program on the PATH, and the Debian package that contains it."""

    name: str
    debian_package: str

    def is_there(self) -> bool:
        return shutil.which(self.name) is not None


MANAGERS = (
    Manager(
        "apt-get",
        (("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends")),
        debian_package,
    ),
    Manager("dnf", (("dnf", "install", "-y"),), rpm_capability),
    Manager("pacman", (("pacman", "-Sy", "--needed", "--noconfirm"),), arch_package),
    Manager("zypper", (("zypper", "--non-interactive", "install"),), rpm_capability),
)


def find_manager() -> Manager | None:
    return next((manager for manager in MANAGERS if shutil.which(manager.program)), None)


def venv_package() -> str:
    """Return the Debian package with the venv module of the running Python."""
    system_python = os.path.realpath("/usr/bin/python3")
    if os.path.realpath(sys.executable) == system_python:
        return "python3-venv"
    return f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


def provide(
    libraries: Iterable[str], *, allowed: bool, venv: bool = False, programs: Iterable[Program] = ()
) -> None:
    """Install missing system packages, or say how to.

    Root installs without asking. Other users install with sudo after confirming on a terminal.

    Args:
        libraries: Sonames, as in the output of `ldd`.
        allowed: False for `--no-system`: install nothing.
        venv: Whether Python's venv module is missing too.
        programs: Programs that are missing too.

    Raises:
        SetupError: Something is missing and can't be installed from here.
    """
    libraries, programs = sorted(libraries), list(programs)
    missing = [*(["python3-venv"] if venv else []), *libraries, *(program.name for program in programs)]
    if not missing:
        return
    manager = find_manager()
    if manager is None or ((venv or programs) and manager.program != "apt-get"):
        raise SetupError(f"This system lacks {', '.join(missing)}. Install them with your package manager.")
    wanted = ([venv_package()] if venv else []) + [manager.package(library) for library in libraries]
    wanted += [program.debian_package for program in programs]
    root = sys.platform != "win32" and os.geteuid() == 0
    sudo = not root and shutil.which("sudo") is not None
    lines = manager.lines(dict.fromkeys(wanted), sudo=sudo)
    shown = " && ".join(shlex.join(line) for line in lines)
    if not allowed or not (root or (sudo and _agreed(shown))):
        run = "Run" if sudo or root else "Run as root"
        raise SetupError(f"This system lacks {', '.join(missing)}. {run}: {shown}")
    print(f"Running: {shown}", flush=True)
    for line in lines:
        if subprocess.call(line, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}):
            raise SetupError(f"Failed: {shlex.join(line)}")


def _agreed(line: str) -> bool:
    """Ask on the terminal whether `line` may run. False without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    print(f"Kalends needs system packages. Command: {line}")
    print("Run it now? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
