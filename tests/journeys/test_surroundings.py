"""The app as a separate process on computers that lack something: it starts, says so, and does the rest."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging import clock

ROOT = Path(__file__).parents[2]
LOCKED = """
import time
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

class Asking(KeyringBackend):
    priority = 1
    def get_password(self, service, name):
        time.sleep(3600)
    set_password = delete_password = get_password

class Refusing(KeyringBackend):
    priority = 1
    def get_password(self, service, *rest):
        raise KeyringLocked("the person dismissed the prompt")
    set_password = delete_password = get_password
"""

_PATIENCE_S = 180

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these are surroundings of Linux")


@contextlib.contextmanager
def living(home: Path, *options: str, **settings: str) -> Iterator[dict[str, Any]]:
    """Run the app and yield its report."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "DBUS_"))}
    environ = {
        **plain,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONFAULTHANDLER": "1",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        # No bus, not even one that a session left in the usual place.
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus",
        **settings,
    }
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.journeys.living", *options],
        cwd=home if home.is_dir() and os.access(home, os.W_OK) else "/",
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as app:
        assert app.stdin is not None
        assert app.stdout is not None
        assert app.stderr is not None
        try:
            # With a dump of its threads, if it hangs.
            overdue = threading.Timer(_PATIENCE_S, app.send_signal, (signal.SIGABRT,))
            overdue.start()
            try:
                line = app.stdout.readline()
            finally:
                overdue.cancel()
            assert line, f"ended with {app.wait(10)}: {app.stderr.read()}"
            yield json.loads(line)
            app.stdin.close()
            app.stdin = None
            _, said = app.communicate(timeout=60)
            assert app.returncode in (0, 1), said
            assert "Traceback" not in said
        finally:
            app.kill()


def test_without_a_bus_a_tray_and_a_keyring(tmp_path: Path) -> None:
    with living(tmp_path, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring") as told:
        assert told["failure"] == ""
        assert told["synced"]
        assert told["visible"]
        assert told["tray"] is False
        assert len(told["key_files"]) == 1, "the key is in a file that only its owner can read"


@pytest.mark.variation
@pytest.mark.parametrize("kind", ["Asking", "Refusing"])
def test_with_a_locked_keyring(tmp_path: Path, kind: str) -> None:
    (tmp_path / "lockedkeyring.py").write_text(LOCKED)
    settings = {"PYTHON_KEYRING_BACKEND": f"lockedkeyring.{kind}", "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    for _ in range(2):  # created once, and found at the next start
        with living(tmp_path, **settings) as told:
            assert told["failure"] == ""
            assert told["synced"]
            assert len(told["key_files"]) == 1


def test_with_a_home_that_cannot_be_written() -> None:
    with living(Path("/proc")) as told:
        assert told["visible"]
        assert "/proc/" in told["failure"]
        assert "can't write there" in told["failure"]


@pytest.mark.variation
def test_with_data_elsewhere_than_in_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    with living(Path("/proc"), "--data", str(tmp_path / "data")) as told:
        assert told["failure"] == ""
        assert told["synced"]


@pytest.mark.variation
def test_with_a_home_of_spaces_and_letters_beyond_latin(tmp_path: Path) -> None:
    home = tmp_path / "Jürgen Ωμέγα 日本 ☀"
    home.mkdir()
    with living(home, LANG="C", LC_ALL="C") as told:
        assert told["failure"] == ""
        assert told["synced"]
        assert told["data"].startswith(str(home))


@pytest.mark.variation
@pytest.mark.skipif(clock.is_missing(), reason="needs a C compiler")
def test_with_a_clock_that_is_years_off(tmp_path: Path) -> None:
    """The service's certificates were created at another time, and are valid anyway."""
    with living(tmp_path) as right:
        assert right["synced"]
    for years in (-9, 9):
        with living(tmp_path, **clock.years_off(tmp_path, years)) as wrong:
            assert abs(wrong["now"] - right["now"]) > 8 * clock.YEAR_S, "the clock is that of the system"
            assert wrong["failure"] == ""
            assert wrong["synced"]
    with living(tmp_path) as right:
        assert right["synced"]


@pytest.mark.variation
def test_two_people_on_one_computer(tmp_path: Path) -> None:
    homes = [tmp_path / name for name in ("ines", "robin")]
    for home in homes:
        home.mkdir()
    with living(homes[0]) as first, living(homes[1]) as second:
        assert first["synced"]
        assert second["synced"]
        assert first["data"] != second["data"]
