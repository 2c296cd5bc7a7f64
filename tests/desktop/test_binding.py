"""PySide6 and threads that import it."""

import ast
import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.desktop import binding

DESKTOP = Path(binding.__file__).parent
STARTS = ("to_thread", "run_in_executor", "Thread")
WITHOUT_QT = ("app.desktop.logs",)


def test_a_module_is_imported_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import threading\nNAME = threading.current_thread().name\n"
    (tmp_path / "imported_here.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    asyncio.run(binding.import_in_thread("imported_here"))
    assert threading.current_thread().name != sys.modules.pop("imported_here").NAME


def test_no_other_thread_imports_qt() -> None:
    found = [place for file in sorted(DESKTOP.rglob("*.py")) for place in imports_in_threads(file)]
    assert found == ["binding.py: import_module"]


def imports_in_threads(file: Path) -> Iterator[str]:
    """The functions that a file hands to threads, if they import something of Qt's or of the window's."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        if getattr(call.func, "attr", getattr(call.func, "id", "")) not in STARTS:
            continue
        handed = (*call.args, *(keyword.value for keyword in call.keywords))
        names = {getattr(one, "id", getattr(one, "attr", "")) for one in handed}
        for name in sorted(names):
            if name == "import_module" or (name in functions and imports_qt(functions[name])):
                yield f"{file.relative_to(DESKTOP)}: {name}"


def imports_qt(function: ast.FunctionDef) -> bool:
    names = [
        f"{one.module}.{alias.name}" if isinstance(one, ast.ImportFrom) else alias.name
        for one in ast.walk(function)
        if isinstance(one, ast.Import | ast.ImportFrom)
        for alias in one.names
    ]
    return any(name.startswith(("app.desktop.", "PySide6")) for name in {*names}.difference(WITHOUT_QT))
