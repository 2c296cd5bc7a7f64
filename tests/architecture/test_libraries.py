"""Large libraries that the app does without: nothing in it imports them, at the start or later."""

import json
import subprocess
import sys

from tests.architecture.sources import ROOT, imports, sources

ABSENT = ("numpy", "pyqtgraph", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest")
# Every module of the desktop and of what is below it, also those that are imported when they are needed.
_IMPORT_ALL = """
import importlib, json, pkgutil, sys
import app
rooms = ("client", "contract", "database", "desktop", "language", "media", "network", "resources")
rooms += ("workspace",)
for room in rooms:
    package = importlib.import_module(f"app.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"app.{room}."):
        if "alembic" not in module.name and "migrations" not in module.name:
            importlib.import_module(module.name)
print(json.dumps(sorted(sys.modules)))
"""


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_no_module_of_the_app_imports_them() -> None:
    found = [
        f"{source.name}:{line} imports {name}"
        for source in sources("app")
        for line, name in imports(source)
        if any(is_within(name, package) for package in ABSENT)
    ]
    assert found == []


def test_nothing_that_the_app_imports_brings_them_along() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    assert "app.desktop.analytics.board" in loaded
    assert [name for name in loaded if any(is_within(name, package) for package in ABSENT)] == []
