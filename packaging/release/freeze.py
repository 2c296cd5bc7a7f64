"""The frozen app: a folder with one executable that needs no Python on the computer.

It's built from the installed wheel, which contains resources, templates, licences and the version, so a
bundle contains the same as an installation from the package index.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

import libraries
from setup.project import LOCKS, ROOT, SetupError, lock_digest

from release import elf, icu

WORK: Final = ROOT / "build"
BUNDLE: Final = ROOT / "dist" / "kalends"
_UNFINISHED: Final = WORK / "frozen"
_VENV: Final = WORK / "venv"
_PYTHON: Final = _VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
_STAMP: Final = _VENV / "kalends-lock.txt"
_SPEC: Final = Path(__file__).with_name("kalends.spec")


def make() -> Path:
    """Freeze the app and return the folder. Raises SetupError if a shared library has no notice."""
    provide_tools()
    wheel = _make_wheel()
    _run(_PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel)
    shutil.rmtree(_UNFINISHED, ignore_errors=True)
    _run(
        # A bundle has no source lines, so tracebacks can't mark columns in them.
        *(_PYTHON, "-P", "-X", "no_debug_ranges", "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
        *("--distpath", _UNFINISHED, "--workpath", WORK / "pyinstaller", _SPEC),
        cwd=WORK,  # not the checkout, because its `app` would shadow the wheel's
        path=ROOT / "packaging",
    )
    if sys.platform.startswith("linux"):
        bundle = _UNFINISHED / BUNDLE.name
        _drop_orphans(bundle)
        _strip(bundle)
        for library in bundle.rglob(icu.LIBRARY):
            icu.trim(library)
        _check_notices(bundle)
    _finish()
    return BUNDLE


def provide_tools() -> None:
    """Create a separate environment with the locked packages of the app and the build."""
    digest = f"{sys.version_info[:3]} {lock_digest('build')}"
    if _STAMP.is_file() and _STAMP.read_text("ascii") == digest:
        return
    _run(sys.executable, "-m", "venv", "--clear", _VENV)
    # Without bytecode, because PyInstaller compiles what the bundle needs.
    pip = (_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile")
    _run(*pip, "--require-hashes", "-r", LOCKS / "build.txt")
    _STAMP.write_text(digest, "ascii")


def tool(name: str) -> Path:
    """Return the path of a program in the build environment."""
    return _PYTHON.with_name(name)


def _make_wheel() -> Path:
    folder = WORK / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    _run(_PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, quiet=True)
    return next(folder.glob("*.whl"))


def _drop_orphans(bundle: Path) -> None:
    """Remove system libraries that only excluded parts needed."""
    inner = bundle / "_internal"
    while orphans := _not_loaded(inner.glob("lib*.so*"), elf.loaded(bundle)):
        for file in orphans:
            file.unlink()


def _not_loaded(files: Iterable[Path], loaded: Collection[str]) -> list[Path]:
    return [file for file in files if file.name not in loaded and "python" not in file.name]


def _strip(bundle: Path) -> None:
    """Strip shared libraries, except those that a wheel repair has padded.

    Libraries in `*.libs` no longer load after that, and Qt's are already stripped.
    """
    for file in sorted(bundle.rglob("*.so*")):
        if not file.is_symlink() and not any(part.endswith(".libs") for part in file.parts):
            _run("strip", "--strip-unneeded", file)


def _check_notices(bundle: Path) -> None:
    if unknown := libraries.unknown(libraries.shared_libraries(bundle), bundle):
        raise SetupError(f"Without a notice in packaging/libraries.py: {', '.join(unknown)}")


def _finish() -> None:
    """Move the results to `dist/`, where nothing is ever half built."""
    BUNDLE.parent.mkdir(exist_ok=True)
    for made in _UNFINISHED.iterdir():
        target = BUNDLE.parent / made.name
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


def _run(*command: str | Path, cwd: Path = ROOT, path: Path | None = None, quiet: bool = False) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if path is not None:
        environ["PYTHONPATH"] = str(path)
    cwd.mkdir(exist_ok=True)
    subprocess.run(command, cwd=cwd, env=environ, check=True, stdout=subprocess.DEVNULL if quiet else None)
