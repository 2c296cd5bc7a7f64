"""The program's source files as syntax trees, for the tests of its shape."""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One Python file."""

    root: Path
    path: Path
    tree: ast.Module
    lines: int

    @property
    def name(self) -> str:
        """The path below the project's folder, with slashes."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def module(self) -> str:
        """The dotted name: `app.desktop.aio`, and `app.desktop` for its `__init__.py`."""
        parts = self.path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.module if self.path.name == "__init__.py" else self.module.rpartition(".")[0]

    @property
    def room(self) -> str:
        """The folder under `app/` that holds the file; empty for the files of `app/` itself."""
        parts = self.path.relative_to(self.root).parts
        return parts[1] if len(parts) > 2 else ""


def parse(root: Path, path: Path) -> Source:
    text = path.read_text("utf-8")
    return Source(root, path, ast.parse(text, str(path)), text.count("\n"))


@cache
def sources(folder: str) -> tuple[Source, ...]:
    """Every Python file under a folder of the project, such as `app` or `app/desktop`."""
    gc.disable()  # it would look through all trees again and again
    try:
        return tuple(parse(ROOT, path) for path in sorted((ROOT / folder).rglob("*.py")))
    finally:
        gc.freeze()
        gc.enable()


@cache
def imports(source: Source) -> tuple[tuple[int, str], ...]:
    """Return line and dotted name of every import, anywhere in the file.

    `from a.b import c` gives `a.b.c`, because only the caller knows whether `c` is a module.
    """
    return tuple(_imports(source))


def _imports(source: Source) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(source, node)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)):
            yield node.lineno, name


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = source.package.split(".")
    start = parts[: len(parts) - node.level + 1]
    return ".".join([*start, *([node.module] if node.module else [])])


def _imported_by_call(node: ast.Call) -> str | None:
    """The literal name in `importlib.import_module("...")` or `__import__("...")`."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called not in {"import_module", "__import__"} or not node.args:
        return None
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
