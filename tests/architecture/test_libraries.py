"""Libraries: large ones that the app does without, and names that they keep for themselves."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, Source, imports, parse, sources

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


def private_imports(files: Iterable[Source]) -> list[str]:
    """Imports of what a library keeps for itself: modules and names that begin with one underscore."""
    return [
        f"{source.name}:{line} imports {name}"
        for source in files
        for line, name in imports(source)
        if not is_within(name, "app")
        and any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
    ]


def test_no_private_name_of_a_library_is_imported() -> None:
    assert private_imports(sources("app")) == []


@pytest.mark.parametrize(
    "text",
    [
        "from fastapi._compat import ModelField",
        "import pydantic._internal._model_construction",
        "from starlette.routing import _DefaultLifespan",
    ],
)
def test_a_private_name_is_seen(tmp_path: Path, text: str) -> None:
    file = tmp_path / "app.py"
    file.write_text(f"from __future__ import annotations\n{text}\n", "utf-8")
    assert len(private_imports([parse(tmp_path, file)])) == 1
