"""Programs from Debian packages, extracted into a scratch folder without installing them.

They're mounted over /usr in a separate mount namespace, with a separate session bus.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.benchmarks.calendar.stage import MissingError

PROGRAMS: Final = ("apt-get", "dpkg", "unshare", "dbus-run-session", "glib-compile-schemas")
_OVER_USR: Final = 'mount -t overlay overlay -o lowerdir="$0/usr:/usr" /usr && exec "$@"'
_SCHEMAS: Final = Path("usr/share/glib-2.0/schemas")


def bring(root: Path, packages: Sequence[str], program: str) -> None:
    """Extract packages and their missing dependencies, and find the program.

    Raises MissingError, also if the program is installed, because it would use its own settings.
    """
    for needed in PROGRAMS:
        if not sys.platform.startswith("linux") or shutil.which(needed) is None:
            raise MissingError(f"{needed} is not installed here")
    (root / "packages/partial").mkdir(parents=True)
    keep = ("-o", f"Dir::Cache::archives={root}/packages", "-o", "Debug::NoLocking=1")
    _do("apt-get", "install", "--download-only", "--no-install-recommends", "--yes", *keep, *packages)
    for package in (root / "packages").glob("*.deb"):
        _do("dpkg", "-x", str(package), str(root))
    if not (root / "usr/bin" / program).exists():
        raise MissingError("it is installed already, and would start with its own settings")
    if (root / "lib").is_dir():
        shutil.copytree(root / "lib", root / "usr/lib", symlinks=True, dirs_exist_ok=True)
    _compile_schemas(root)


@contextlib.contextmanager
def running(
    root: Path, command: Sequence[str], environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a command with the extracted files, and end it and all of its children."""
    over = ("unshare", "--map-root-user", "--mount", "sh", "-c", _OVER_USR, str(root))
    with subprocess.Popen(
        [*over, "dbus-run-session", *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as program:
        try:
            yield program
        finally:
            os.killpg(program.pid, signal.SIGTERM)


def _compile_schemas(root: Path) -> None:
    together = root / "schemas"
    together.mkdir()
    for folder in ("/" / _SCHEMAS, root / _SCHEMAS):
        for schema in (*folder.glob("*.xml"), *folder.glob("*.override")):
            shutil.copy(schema, together)
    (root / _SCHEMAS).mkdir(parents=True, exist_ok=True)
    _do("glib-compile-schemas", f"--targetdir={root / _SCHEMAS}", str(together))


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")
