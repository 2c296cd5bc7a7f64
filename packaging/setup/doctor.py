"""A report on this computer for people, with JSON in the last line."""

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from setup import environment, for_tests, libraries, screen
from setup.project import PYTHON, STAMP


@dataclass(frozen=True)
class Findings:
    """The report; `ok` if the app can start as it is.

    Attributes:
        missing_libraries: Sonames that Qt needs for the chosen screen and the loader can't find.
        missing_by_screen: The same for every kind of screen.
        missing_for_tests: Programs without which tests are skipped.
    """

    python: str
    installer: str | None
    venv: str
    missing_libraries: list[str]
    missing_by_screen: dict[str, list[str]]
    missing_for_tests: list[str]
    screen: str
    data: str | None
    data_writable: bool

    @property
    def ok(self) -> bool:
        return self.venv == "ready" and not self.missing_libraries and self.data_writable


def examine() -> Findings:
    """Examine everything without changing anything."""
    installer = "uv" if environment.find_uv() else "pip" if environment.can_make_venv() else None
    data = _data_folder()
    look = libraries.missing if STAMP.exists() else libraries.expected_missing
    by_screen = {kind: look([kind]) for kind in libraries.SCREENS}
    return Findings(
        python=platform.python_version(),
        installer=installer,
        venv=_venv_state(),
        missing_libraries=sorted({name for kind in screen.kinds() for name in by_screen[kind]}),
        missing_by_screen=by_screen,
        missing_for_tests=[program.name for program in for_tests.PROGRAMS if not program.is_there()],
        screen=screen.choose()[1].removeprefix("Screen: "),
        data=str(data) if data else None,
        data_writable=data is not None and _is_writable(data),
    )


def report() -> int:
    """Print the findings, one line each, and JSON last. Returns 0 if the app can start."""
    found = examine()
    data = found.data or "known once .venv exists"
    lines = {
        "Python": found.python,
        "Installer": found.installer or "none: uv and Python's venv module are missing",
        ".venv": found.venv,
        "Screen": found.screen,
        **{f"Qt on {kind}": _missing(names) for kind, names in found.missing_by_screen.items()},
        "Tests": _missing(found.missing_for_tests),
        "Data folder": data if found.data_writable or not found.data else f"{data} isn't writable",
    }
    for name, value in lines.items():
        print(f"{name:18}{value}")
    print(json.dumps({"ok": found.ok, **asdict(found)}))
    return 0 if found.ok else 1


def _missing(names: list[str]) -> str:
    return f"missing: {', '.join(names)}" if names else "complete"


def _venv_state() -> str:
    if environment.venv_version() is None:
        return "absent"
    return "ready" if environment.is_ready("desktop") else "out of date"


def _data_folder() -> Path | None:
    """Return the app's data folder, determined by the app's own library."""
    question = "import platformdirs; print(platformdirs.user_data_path('kalends', appauthor=False))"
    if not PYTHON.exists():
        return None
    answer = subprocess.run(
        [PYTHON, "-c", question], capture_output=True, text=True, encoding="utf-8", check=False
    )
    return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def _is_writable(folder: Path) -> bool:
    """Whether the folder is writable, or can be created."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(existing, os.W_OK)
