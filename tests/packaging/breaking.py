"""Breaks each part of a frozen bundle, and checks that its self-test notices.

``python -m tests.packaging.breaking [--bundle dist/kalends] [--only NAME ...]``. Each part is broken in a
separate copy, with links to the rest. The unchanged bundle has to pass. Exits with 1 if a break goes
unnoticed.
"""

import argparse
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_BUNDLE: Final = Path("dist/kalends")
_PATIENCE_S: Final = 600


@dataclass(frozen=True, slots=True)
class Break:
    """A change to a bundle, the step of the self-test that has to fail, and a word in its reason."""

    do: Callable[[Path], None]
    step: str
    names: str


def without_module(*names: str) -> Callable[[Path], None]:
    """Remove modules, or rename them in the executable's archive, so that they aren't found."""

    def do(bundle: Path) -> None:
        for name in names:
            place = bundle / "_internal" / name.replace(".", "/")
            if place.with_name(f"{place.name}.pyc").is_file():
                place.with_name(f"{place.name}.pyc").unlink()
            elif (place / "__init__.pyc").is_file():
                shutil.rmtree(place)
            else:
                _rename_in_archive(bundle / "kalends", name)

    return do


def _rename_in_archive(executable: Path, name: str) -> None:
    content = executable.read_bytes()
    # In the table of the archive a name follows its length; other modules' code names it otherwise.
    entry = bytes([len(name)]) + name.encode()
    assert entry in content, f"{name} isn't in the bundle"
    _write(executable, content.replace(entry, entry[:-1] + b"-"))


def without_files(*patterns: str) -> Callable[[Path], None]:
    """Remove files or folders."""

    def do(bundle: Path) -> None:
        for pattern in patterns:
            found = list((bundle / "_internal").glob(pattern))
            assert found, f"no {pattern} is in the bundle"
            for path in found:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    return do


def without_docstrings(name: str) -> Callable[[Path], None]:
    """Compile one of our modules again, without docstrings."""

    def do(bundle: Path) -> None:
        place = f"{name.replace('.', '/')}.py"
        compiled = bundle / "_internal" / f"{place}c"
        assert compiled.is_file(), f"no {place}c is in the bundle"
        compiled.unlink()
        py_compile.compile(place, str(compiled), doraise=True, optimize=2)

    return do


def cut(pattern: str, size: int = 100) -> Callable[[Path], None]:
    """Truncate a file."""

    def do(bundle: Path) -> None:
        (path,) = (bundle / "_internal").glob(pattern)
        _write(path, path.read_bytes()[:size])

    return do


BREAKS: Final[Mapping[str, Break]] = {
    "one of our modules": Break(
        without_module("app.desktop.media.pane"), "modules", "app.desktop.media.pane"
    ),
    "Analytics": Break(without_module("app.desktop.analytics.pane"), "modules", "app.desktop.analytics.pane"),
    "the descriptions of endpoints": Break(
        without_docstrings("app.service.posts.routes"), "modules", "app.service.posts.routes"
    ),
    "a library": Break(without_module("icalendar"), "modules", "icalendar"),
    "a video codec": Break(without_files("av.libs/libx264*"), "modules", "libx264"),
    "the AVIF codec": Break(without_files("pillow.libs/libavif*"), "media", "sample.avif"),
    "the HEIC codec": Break(without_files("pi_heif.libs/libde265*"), "media", "sample."),
    "time zones": Break(without_files("tzdata"), "time zones", "zone"),
    "the notifier's backend": Break(
        without_module("desktop_notifier.backends.dbus"), "notifications", "desktop_notifier.backends.dbus"
    ),
    "a keyring's backend": Break(
        without_module("keyring.backends.SecretService"), "keyring", "keyring.backends.SecretService"
    ),
    "the list of keyrings": Break(
        without_files("keyring-*.dist-info/entry_points.txt"), "keyring", "passwords"
    ),
    "German": Break(without_files("app/_resources/locale/de"), "German", "kalends"),
    "the notices": Break(
        without_files("kalends-*.dist-info/licenses/THIRD_PARTY_NOTICES.md"), "notices", "notices"
    ),
    "a sample image": Break(cut("app/_resources/samples/sample.heic"), "media", "sample.heic"),
    "a sample video": Break(without_files("app/_resources/samples/sample.mp4"), "media", "sample.mp4"),
    "migrations": Break(without_files("app/*/store/migrations"), "embedded service", ""),
    "fonts and icons": Break(without_files("app/_resources/icons"), "", ""),
}
"""Breaks by the missing part. A step of "" means that not even the window opens."""


def missed(bundle: Path, part: Break, folder: Path) -> str:
    """Return what's wrong with a self-test's result after a break; "" if it noticed."""
    copy = folder / "kalends"
    shutil.copytree(bundle, copy, symlinks=True, copy_function=os.link)
    part.do(copy)
    code, answer, said = run_selftest(copy, folder)
    shutil.rmtree(copy)
    if code == 0:
        return "it passed"
    if part.step and answer.get("step") != part.step:
        return (
            f"it stopped at {answer.get('step')!r} and not at {part.step!r}: {answer.get('reason') or said}"
        )
    if part.names not in str(answer.get("reason")):
        return f"its reason doesn't name {part.names!r}: {answer.get('reason')}"
    return ""


def run_selftest(bundle: Path, folder: Path) -> tuple[int, dict[str, Any], str]:
    """Return exit code, JSON line, and the end of standard error of a bundle's self-test."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    home = {"HOME": str(folder), "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(folder)}
    done = subprocess.run(
        [bundle / "kalends", "--selftest"],
        cwd=folder,
        env={**environ, **home},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"event": "selftest"')]
    return done.returncode, json.loads(lines[-1]) if lines else {}, done.stderr[-500:]


def _write(path: Path, content: bytes) -> None:
    """Write a separate file, because the current one is a link into the bundle."""
    mode = path.stat().st_mode
    path.unlink()
    path.write_bytes(content)
    path.chmod(mode)


def main(arguments: Iterable[str] | None = None) -> int:
    """Break the requested parts, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.packaging.breaking", description=__doc__)
    parser.add_argument("--bundle", type=Path, default=_BUNDLE, help="frozen app (dist/kalends)")
    parser.add_argument("--only", nargs="+", choices=BREAKS, default=list(BREAKS), metavar="NAME")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    bundle, failures = options.bundle.absolute(), 0
    # Next to the bundle: its files can only be linked on the same file system.
    with tempfile.TemporaryDirectory(prefix="breaking-", dir=bundle.parent) as name:
        began = time.monotonic()
        code, answer, said = run_selftest(bundle, Path(name))
        failures += code != 0
        print(_line("as it is", "" if code == 0 else f"{answer or said}", began), flush=True)
        for part in options.only:
            began = time.monotonic()
            wrong = missed(bundle, BREAKS[part], Path(name))
            failures += bool(wrong)
            print(_line(f"without {part}", wrong, began), flush=True)
    return 1 if failures else 0


def _line(part: str, wrong: str, began: float) -> str:
    verdict = f"{'FAILED' if wrong else 'ok':7} {part} ({time.monotonic() - began:.0f} s)"
    return f"{verdict}: {wrong}" if wrong else verdict


if __name__ == "__main__":
    sys.exit(main())
