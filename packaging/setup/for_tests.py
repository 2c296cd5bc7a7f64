"""System packages for tests, which are skipped without them."""

from pathlib import Path
from typing import Final

from setup import libraries, system
from setup.project import SetupError
from setup.system import Program


class _PostgreSQL(Program):
    """PostgreSQL, whose programs aren't on the PATH in Debian."""

    def is_there(self) -> bool:
        return super().is_there() or any(Path("/usr/lib/postgresql").glob(f"*/bin/{self.name}"))


class _ScreenReaderBus(Program):
    """A D-Bus service that isn't on the PATH."""

    def is_there(self) -> bool:
        return Path("/usr/share/dbus-1/services/org.a11y.Bus.service").exists()


PROGRAMS: Final = (
    _PostgreSQL("initdb", "postgresql"),
    Program("Xvfb", "xvfb"),
    Program("xdotool", "xdotool"),
    Program("dbus-daemon", "dbus"),
    _ScreenReaderBus("at-spi2-core", "at-spi2-core"),
    Program("chromium", "chromium"),
    Program("pcmanfm", "pcmanfm"),
    Program("curl", "curl"),
    Program("gio", "libglib2.0-bin"),
    Program("desktop-file-validate", "desktop-file-utils"),
    Program("node", "nodejs"),
    Program("npm", "npm"),
    Program("php", "php-cli"),
    Program("go", "golang-go"),
)


def provide(*, system_allowed: bool) -> None:
    """Install what the tests use, or print how to."""
    absent = [program for program in PROGRAMS if not program.is_there()]
    try:
        system.provide(libraries.missing(["X11"]), programs=absent, allowed=system_allowed)
    except SetupError as error:
        print(f"Some tests will be skipped. {error}", flush=True)
