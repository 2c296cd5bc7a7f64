"""Starts the frozen app in restricted environments, and checks that it does its main job.

``python -m tests.packaging.surroundings [--bundle dist/kalends] [--only NAME ...]``. In each environment, the
app has to pass its self-test: window, service, a connected practice account, a published post. Run as root,
to create the two users. Prints what a computer lacks for an environment. Exits with 1 if one fails.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.packaging import clock

_BUNDLE: Final = Path("dist/kalends")
_PATIENCE_S: Final = 600
_USERS: Final = ("kalends-ines", "kalends-robin")
_NO_BUS: Final = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


class LackingError(Exception):
    """This computer can't provide the environment."""


def bare(bundle: Path, home: Path) -> None:
    """No D-Bus, no tray, no keyring."""
    passes(bundle, home, **_NO_BUS, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")


def locked_keyring(bundle: Path, home: Path) -> None:
    """A locked Secret Service, without a user to ask for its password."""
    for program in ("dbus-run-session", "gnome-keyring-daemon"):
        if shutil.which(program) is None:
            raise LackingError(program)
    script = 'gnome-keyring-daemon --start --components=secrets > /dev/null 2>&1; exec "$@"'
    bus = ("dbus-run-session", "--", "sh", "-c", script, "sh")
    passes(bundle, home, *bus, PYTHON_KEYRING_BACKEND="keyring.backends.SecretService.Keyring")


def letters(bundle: Path, home: Path) -> None:
    """Program, home and temporary files in folders with spaces and non-Latin letters, in the C locale."""
    folder = home / "Jürgen Ωμέγα 日本 ☀"
    folder.mkdir()
    shutil.copytree(bundle, folder / "kalends", symlinks=True, copy_function=os.link)
    passes(folder / "kalends", folder, **_NO_BUS, LANG="C", LC_ALL="C", TMPDIR=str(folder))


def clock_behind(bundle: Path, home: Path) -> None:
    """A clock that's nine years behind, like with an empty CMOS battery."""
    _with_clock(bundle, home, -9)


def clock_ahead(bundle: Path, home: Path) -> None:
    """A clock that's nine years ahead."""
    _with_clock(bundle, home, 9)


def _with_clock(bundle: Path, home: Path, years: int) -> None:
    if clock.is_missing():
        raise LackingError("a C compiler")
    passes(bundle, home, **_NO_BUS, **clock.years_off(home, years))


def read_only_home(bundle: Path, home: Path) -> None:
    """A user whose home folder is read-only; temporary files are writable."""
    with two_users(home) as (user, _):
        theirs = home / user
        shutil.chown(theirs, "root", "root")
        theirs.chmod(0o755)
        passes(bundle, theirs, *_as(user), **_NO_BUS, TMPDIR="/tmp")  # noqa: S108


def two_people(bundle: Path, home: Path) -> None:
    """Two users start it simultaneously. Both services run, and neither can read the other's data."""
    with two_users(home) as users, contextlib.ExitStack() as running:
        tests = [begin(bundle, home / user, "--selftest", prefix=_as(user), **_NO_BUS) for user in users]
        for test in tests:
            judge(test)
        for user in users:
            data = str(home / user / "calendar")
            made = begin(
                *(bundle, home / user, "-m", "app.service", "account", "create", "--data", data),
                *("--name", user),
                prefix=_as(user),
            )
            assert made.wait(_PATIENCE_S) == 0
            serving = begin(
                *(bundle, home / user, "-m", "app.service", "serve", "--data", data), prefix=_as(user)
            )
            running.callback(serving.wait)
            running.callback(serving.terminate)
            assert serving.stdout is not None
            assert json.loads(serving.stdout.readline())["event"] == "ready"
            other = next(one for one in users if one != user)
            looking = subprocess.run((*_as(other), "ls", data), capture_output=True, check=False)
            assert looking.returncode, f"{other} sees what {user} keeps"


SURROUNDINGS: Final[Mapping[str, Callable[[Path, Path], None]]] = {
    "bare": bare,
    "locked-keyring": locked_keyring,
    "letters": letters,
    "clock-behind": clock_behind,
    "clock-ahead": clock_ahead,
    "read-only-home": read_only_home,
    "two-people": two_people,
}


def passes(bundle: Path, home: Path, *prefix: str, **settings: str) -> None:
    """Run the app's self-test with this home. Raises AssertionError with its output."""
    judge(begin(bundle, home, "--selftest", prefix=prefix, **settings))


def begin(
    bundle: Path, home: Path, *arguments: str, prefix: tuple[str, ...] = (), **settings: str
) -> "subprocess.Popen[str]":
    """Start the app as a separate process with a clean environment."""
    plain = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    environ = {**plain, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen", **settings}
    # What belongs to nobody would stay open in children that outlive a failed test.
    command = (*prefix, str(bundle / "kalends"), *arguments)
    return subprocess.Popen(
        command, cwd="/", env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def judge(test: "subprocess.Popen[str]") -> None:
    """Wait for the end of a self-test. Raises AssertionError with its output."""
    said, _ = test.communicate(timeout=_PATIENCE_S)
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert lines, f"it said nothing, and ended with {test.returncode}"
    assert lines[-1].get("ok"), lines[-1]


@contextlib.contextmanager
def two_users(homes: Path) -> Iterator[tuple[str, ...]]:
    """Create two users with homes during the block. Raises LackingError without root."""
    if os.geteuid():
        raise LackingError("root, to make users")
    homes.chmod(0o755)
    try:
        for user in _USERS:
            command = ("useradd", "--create-home", "--home-dir", str(homes / user), user)
            subprocess.run(command, check=True, capture_output=True)
        yield _USERS
    finally:
        for user in _USERS:
            subprocess.run(("userdel", user), check=False, capture_output=True)


def _as(user: str) -> tuple[str, ...]:
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--")


def main() -> int:
    """Try all or the named environments; returns 1 if the app fails in one."""
    parser = argparse.ArgumentParser(prog="tests.packaging.surroundings", description=__doc__)
    parser.add_argument("--bundle", type=Path, default=_BUNDLE)
    parser.add_argument("--only", nargs="+", choices=SURROUNDINGS, default=list(SURROUNDINGS))
    options = parser.parse_args()
    failures = 0
    for name in options.only:
        with tempfile.TemporaryDirectory(dir=options.bundle.parent, prefix="surroundings-") as folder:
            try:
                SURROUNDINGS[name](options.bundle.absolute(), Path(folder).absolute())
                verdict = "ok"
            except LackingError as lacking:
                verdict = f"skipped: this computer lacks {lacking}"
            except AssertionError as failure:
                failures += 1
                verdict = f"FAILED  {failure}"
        print(f"{name}: {verdict}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
