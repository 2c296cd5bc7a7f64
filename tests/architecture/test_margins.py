"""Qt mirrors layouts in right-to-left languages, but not their margins."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_DESKTOP = Path("app", "desktop")
_DAYS = _DESKTOP / "calendar"
"""Days and hours run from left to right in every language."""


def _fixed(source: str) -> Iterator[int]:
    """Yield the lines of calls that set a left margin that differs from the right one."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "setContentsMargins" and len(node.args) == 4:
            left, _top, right, _bottom = map(ast.unparse, node.args)
            if left != right:
                yield node.lineno


def test_margins_that_differ_by_side_are_mirrored() -> None:
    files = (file for file in sorted(_DESKTOP.rglob("*.py")) if not file.is_relative_to(_DAYS))
    assert [f"{file}:{line}" for file in files for line in _fixed(file.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("row.setContentsMargins(12, 0, 8, 0)", [1]),
        ("row.setContentsMargins(12, 0, 12, 4)", []),
        ("row.setContentsMargins(insets(12, 0, 8, 0))", []),
    ],
)
def test_only_sides_that_differ_are_found(source: str, found: list[int]) -> None:
    assert list(_fixed(source)) == found
