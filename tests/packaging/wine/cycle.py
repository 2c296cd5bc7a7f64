"""The installer's life cycle: install, open, upgrade while running, uninstall with and without data."""

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from release.windows import Installer, make_installer

from tests.packaging.wine.prefix import Prefix, value

_SOURCE: Final = Path(__file__).with_name("stand_in.c")
_FOLDER: Final = "C:\\users\\ines\\Progrämme\\Kalends"
_PROGRAM: Final = f"{_FOLDER}\\kalends.exe"
_CLASSES: Final = "Software\\Classes"
_UNINSTALL: Final = "Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Kalends"
_RUN: Final = "Software\\Microsoft\\Windows\\CurrentVersion\\Run"
_LINK: Final = "kalends://new?text=K%C3%BCste&at=2026-12-24T09:00"
_PICTURE: Final = "C:\\Bilder für Ines\\Küste.jpg"
_NOTIFICATIONS: Final = f"HKCU\\{_CLASSES}\\AppUserModelId\\Kalends"
"""The key that notifications create."""
_PATIENCE_S: Final = 60.0


@dataclass(frozen=True)
class Setups:
    """Installers of two releases of the stand-in."""

    first: Path
    second: Path


def make_setups(folder: Path) -> Setups:
    """Compile two versions of the stand-in, with an installer for each."""
    made = [_setup(folder / version, version) for version in ("1.0.0", "2.0.0")]
    return Setups(*made)


def _setup(folder: Path, version: str) -> Path:
    payload = folder / "payload"
    (payload / "_internal" / "deep").mkdir(parents=True)
    (payload / "_internal" / "deep" / f"only-in-{version}.txt").write_text(version, "ascii")
    compiler = "x86_64-w64-mingw32-gcc"
    options = ("-municode", "-mwindows", f'-DVERSION="{version}"')
    subprocess.run([compiler, *options, "-o", payload / "kalends.exe", _SOURCE], check=True)
    quick = ("-DPATIENCE=12", "-XSetCompressor zlib")
    return make_installer(Installer(payload, version, folder / f"setup-{version}.exe", quick))


class Cycle:
    """The steps in order. Each raises AssertionError if it fails."""

    def __init__(self, prefix: Prefix, setups: Setups) -> None:
        self._prefix = prefix
        self._setups = setups
        self._folder = prefix.path(_FOLDER)
        self._data = prefix.local / "kalends"

    def run(self, tell: Callable[[str, float], None] = lambda _step, _seconds: None) -> None:
        """Run all steps."""
        for step in (self.install, self.open, self.stay, self.upgrade, self.uninstall, self.remove_data):
            started = time.monotonic()
            step()
            tell((step.__doc__ or "").partition("\n")[0], time.monotonic() - started)

    def install(self) -> None:
        """Install for one user: program, shortcuts, link, Open with, and an uninstaller."""
        assert self._install(self._setups.first) == 0
        assert (self._folder / "_internal" / "deep" / "only-in-1.0.0.txt").is_file()
        assert all(shortcut.is_file() for shortcut in self._shortcuts())
        registry = self._prefix.registry()
        command = f'"{_PROGRAM}" -- "%1"'
        for key in ("kalends", "Kalends.Media", "Applications\\kalends.exe"):
            assert value(registry, f"{_CLASSES}\\{key}\\shell\\open\\command") == command, key
        assert value(registry, f"{_CLASSES}\\kalends", "URL Protocol") == ""
        assert value(registry, f"{_CLASSES}\\.heic\\OpenWithProgids", "Kalends.Media") == ""
        assert value(registry, _UNINSTALL, "DisplayVersion") == "1.0.0"
        assert value(registry, _UNINSTALL, "InstallLocation") == _FOLDER
        assert (value(registry, _UNINSTALL, "EstimatedSize") or "").startswith("dword:")
        assert value(registry, _RUN, "Kalends") is None, "nobody asked for a start at login"

    def open(self) -> None:
        """Open from the Start menu. A link and a file reach the running app."""
        program, new_post, *_ = self._shortcuts()
        self._prefix.start("start", _windows(program, self._prefix))
        self._until_running("1.0.0")
        self._prefix.start("start", _windows(new_post, self._prefix))
        handed = self._data / "handed.txt"
        self._until(handed.is_file, "the shortcut hands nothing over")
        assert handed.read_text("utf-8").splitlines() == ["kalends://new"]
        handed.unlink()
        registry = self._prefix.registry()
        assert self._open_by(registry, "kalends", _LINK) == 0
        assert self._open_by(registry, "Kalends.Media", _PICTURE) == 0
        assert handed.read_text("utf-8").splitlines() == [_LINK, _PICTURE]

    def stay(self) -> None:
        """If the app doesn't quit, the setup gives up without changes."""
        assert self._prefix.run(_PROGRAM, "--quit") == 0
        self._until_ended()
        self._prefix.start(_PROGRAM, STAND_IN_STAYS="1")
        self._until_running("1.0.0")
        assert self._install(self._setups.second) == 2
        assert (self._folder / "_internal" / "deep" / "only-in-1.0.0.txt").is_file()
        assert value(self._prefix.registry(), _UNINSTALL, "DisplayVersion") == "1.0.0"
        self._prefix.run("taskkill", "/f", "/im", "kalends.exe")
        (self._data / "running.txt").unlink()

    def upgrade(self) -> None:
        """Upgrade the running app: it quits, is replaced, restarts, and keeps its data."""
        self._prefix.start(_PROGRAM)
        self._until_running("1.0.0")
        self._prefix.run("reg", "add", f"HKCU\\{_RUN}", "/v", "Kalends", "/d", f'"{_PROGRAM}" --hidden', "/f")
        self._prefix.run("reg", "add", _NOTIFICATIONS, "/v", "DisplayName", "/d", "Kalends", "/f")
        assert self._install(self._setups.second, "/START") == 0
        self._until_running("2.0.0")
        inner = self._folder / "_internal" / "deep"
        assert [file.name for file in inner.iterdir()] == ["only-in-2.0.0.txt"]
        assert sorted(file.name for file in self._folder.iterdir()) == [
            "_internal",
            "kalends.exe",
            "uninstall.exe",
        ]
        registry = self._prefix.registry()
        assert value(registry, _UNINSTALL, "DisplayVersion") == "2.0.0"
        assert value(registry, _RUN, "Kalends") == f'"{_PROGRAM}" --hidden', (
            "starting at login was turned off"
        )
        assert _LINK in (self._data / "handed.txt").read_text("utf-8")

    def uninstall(self) -> None:
        """Uninstall the running app: only the user's data and files are left."""
        (self._folder / "mine.txt").write_text("a file of the person", "ascii")
        self._uninstall()
        assert [file.name for file in self._folder.iterdir()] == ["mine.txt"]
        self._expect_no_trace()
        assert _LINK in (self._data / "handed.txt").read_text("utf-8")
        shutil.rmtree(self._folder)

    def remove_data(self) -> None:
        """Uninstall with data: the data folder is removed too."""
        assert self._install(self._setups.second) == 0
        assert self._data.is_dir()
        self._uninstall("/DATA=remove")
        self._until(lambda: not self._data.exists(), "the data is still there")
        assert not self._folder.exists()
        self._expect_no_trace()

    def _open_by(self, registry: str, kind: str, thing: str) -> int:
        """Run the command of a file type like Windows. Wine only supports system-wide file types."""
        command = value(registry, f"{_CLASSES}\\{kind}\\shell\\open\\command") or ""
        return self._prefix.run(*(part.strip('"').replace("%1", thing) for part in command.split(" ")))

    def _install(self, setup: Path, *switches: str) -> int:
        return self._prefix.run(str(setup), "/S", *switches, f"/D={_FOLDER}")

    def _uninstall(self, *switches: str) -> None:
        # It goes on in a copy of itself, or it could not remove itself.
        self._prefix.run(f"{_FOLDER}\\uninstall.exe", "/S", *switches)
        self._until(lambda: not (self._folder / "uninstall.exe").exists(), "the uninstaller is still there")
        self._until(lambda: _UNINSTALL not in self._prefix.registry(), "it is still listed as installed")

    def _expect_no_trace(self) -> None:
        assert not any(shortcut.exists() for shortcut in self._shortcuts())
        assert not self._shortcuts()[0].parent.exists()
        registry = self._prefix.registry()
        assert value(registry, _RUN, "Kalends") is None
        assert "kalends" not in registry.lower().replace("kalends-stand-in", "")

    def _shortcuts(self) -> tuple[Path, ...]:
        windows = self._prefix.roaming / "Microsoft" / "Windows"
        menu = windows / "Start Menu" / "Programs" / "Kalends"
        entries = (menu / f"{name}.lnk" for name in ("Kalends", "New post", "Today"))
        return *entries, windows / "SendTo" / "Kalends.lnk"

    def _until_running(self, version: str) -> None:
        running = self._data / "running.txt"
        self._until(
            lambda: running.is_file() and running.read_text("ascii").startswith(version),
            f"release {version} of the stand-in did not start",
        )

    def _until_ended(self) -> None:
        self._until(lambda: not (self._data / "running.txt").exists(), "the stand-in did not end")

    @staticmethod
    def _until(is_so: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            assert time.monotonic() < end, otherwise
            time.sleep(0.1)


def _windows(path: Path, prefix: Prefix) -> str:
    return "C:\\" + "\\".join(path.relative_to(prefix.c).parts)
