"""The file or value that starts Kalends at login: there, gone, turned off elsewhere, and what it runs."""

import configparser
import json
import plistlib
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.login import KEY, LinuxLogin, LoginItem, MacLogin, Start, WindowsLogin, login_item, start

TELL = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd()]))"
HARD = (
    "a b",
    'say "hi"',
    "50 %",
    "%f %U",
    "$HOME `id`",
    "back\\slash",
    "ümlaut",
    "--data=/x y/ü",
    "'",
    "a;b&c",
)


class Registry:
    """As much of ``winreg`` as is asked for."""

    HKEY_CURRENT_USER, KEY_SET_VALUE, REG_SZ = "HKCU", 2, 1

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    @contextmanager
    def _open(self, key: str) -> Any:
        assert key == KEY
        yield self.values

    def OpenKey(self, root: str, key: str, *_more: int) -> Any:  # noqa: N802  as Windows spells it
        assert root == self.HKEY_CURRENT_USER
        return self._open(key)

    CreateKey = OpenKey

    @staticmethod
    def SetValueEx(key: dict[str, str], name: str, _zero: int, kind: int, value: str) -> None:  # noqa: N802
        assert kind == Registry.REG_SZ
        key[name] = value

    @staticmethod
    def QueryValueEx(key: dict[str, str], name: str) -> str:  # noqa: N802
        if name not in key:
            raise FileNotFoundError(name)
        return key[name]

    @staticmethod
    def DeleteValue(key: dict[str, str], name: str) -> None:  # noqa: N802
        if name not in key:
            raise FileNotFoundError(name)
        del key[name]


HOW = Start(("/opt/kalends/kalends", "--hidden"))


@pytest.mark.parametrize("kind", ["linux", "macos", "windows"])
def test_it_is_turned_on_and_off_again(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "not" / "there"
    items: dict[str, LoginItem] = {
        "linux": LinuxLogin(HOW, folder),
        "macos": MacLogin(HOW, folder),
        "windows": WindowsLogin(HOW, Registry()),
    }
    item = items[kind]
    item.turn_off()  # nothing to turn off is nothing wrong
    assert not item.is_on()
    for _ in range(2):
        item.turn_on()
        assert item.is_on()
    for _ in range(2):
        item.turn_off()
        assert not item.is_on()
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_linux_off_elsewhere_is_off(tmp_path: Path, line: str) -> None:
    item = LinuxLogin(HOW, tmp_path)
    item.turn_on()
    file = tmp_path / "kalends.desktop"
    file.write_text(f"{file.read_text('utf-8')}{line}\n", "utf-8")
    assert not item.is_on()
    item.turn_on()
    assert item.is_on()


@pytest.mark.skipif(shutil.which("gio") is None, reason="needs gio of glib")
def test_linux_runs_what_was_meant_where_it_was_meant(tmp_path: Path) -> None:
    """GLib reads the entry and runs it, as the desktops do."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    LinuxLogin(Start((sys.executable, "-c", TELL, *HARD), folder), tmp_path).turn_on()
    run = ["gio", "launch", str(tmp_path / "kalends.desktop")]
    told = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60).stdout
    assert json.loads(told) == [list(HARD), str(folder)]


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="needs desktop-file-utils")
def test_linux_writes_what_the_standard_takes(tmp_path: Path) -> None:
    LinuxLogin(Start(("/opt/Kalends 1/kalends", *HARD), tmp_path), tmp_path).turn_on()
    file = str(tmp_path / "kalends.desktop")
    told = subprocess.run(["desktop-file-validate", file], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=4))
def test_linux_keeps_every_argument(tmp_path_factory: pytest.TempPathFactory, arguments: list[str]) -> None:
    """Read back by the two steps of the standard: first the value, then its quotes."""
    folder = tmp_path_factory.mktemp("autostart")
    LinuxLogin(Start(tuple(arguments)), folder).turn_on()
    entry = configparser.RawConfigParser(strict=True)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read_string((folder / "kalends.desktop").read_text("utf-8"))
    assert _arguments(entry["Desktop Entry"]["Exec"].replace("\\\\", "\\")) == arguments


def _arguments(line: str) -> list[str]:
    found, current, inside, skip = [], "", False, False
    for each in line:
        if skip:
            current, skip = current + each, False
        elif inside and each == "\\":
            skip = True
        elif each == '"':
            if inside:
                found.append(current.replace("%%", "%"))
            current, inside = "", not inside
        elif inside:
            current += each
    return found


def test_macos_writes_an_agent_that_launchd_reads(tmp_path: Path) -> None:
    MacLogin(Start(("/Applications/Kalends.app/Contents/MacOS/Kalends", *HARD), tmp_path), tmp_path).turn_on()
    (file,) = tmp_path.iterdir()
    agent = plistlib.loads(file.read_bytes())
    assert file.stem == agent["Label"]
    assert agent["ProgramArguments"][1:] == list(HARD)
    assert agent["WorkingDirectory"] == str(tmp_path)
    assert agent["RunAtLoad"] is True
    file.write_bytes(plistlib.dumps(agent | {"Disabled": True}))
    assert not MacLogin(HOW, tmp_path).is_on()
    file.write_bytes(b"no list at all")
    assert not MacLogin(HOW, tmp_path).is_on()


def test_windows_writes_one_command_line() -> None:
    registry = Registry()
    WindowsLogin(Start((r"C:\Program Files\Kalends\kalends.exe", "--hidden")), registry).turn_on()
    assert registry.values == {"Kalends": r'"C:\Program Files\Kalends\kalends.exe" --hidden'}


def test_this_installation_can_be_started() -> None:
    how = start(("--help",))
    told = subprocess.run(
        how.command, cwd=how.folder, capture_output=True, text=True, check=True, timeout=120
    )
    assert "--hidden" in told.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into the entry of Linux")
def test_another_data_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for data, named in ((tmp_path / "usual", False), (tmp_path / "other", True)):
        item = login_item(data, tmp_path / "usual")
        assert item is not None
        item.turn_on()
        text = (tmp_path / "autostart" / "kalends.desktop").read_text("utf-8")
        assert '"--hidden"' in text
        assert (f'"--data" "{data}"' in text) is named
