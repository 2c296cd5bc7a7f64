"""Async context managers of tests clean up after a failed test, too.

Otherwise the failure is followed by others that hide it: a workspace that tells a window that's gone, a timer
that was deleted.
"""

import ast
from collections.abc import Iterator, Sequence

import pytest

from tests.architecture.sources import sources


def unprotected(function: ast.AsyncFunctionDef) -> Iterator[int]:
    """Yield the lines of statements that are skipped if the block of ``async with`` raises."""
    yield from _after_yield(function.body)


def _after_yield(body: Sequence[ast.stmt]) -> Iterator[int]:
    for number, statement in enumerate(body):
        is_function = isinstance(statement, ast.AsyncFunctionDef | ast.FunctionDef)
        if is_function or not any(isinstance(node, ast.Yield) for node in ast.walk(statement)):
            continue
        if isinstance(statement, ast.Try) and statement.finalbody:
            continue
        following = body[number + 1 :]
        if following and not isinstance(following[0], ast.Return):
            yield following[0].lineno
        for inner in ("body", "orelse"):
            yield from _after_yield(getattr(statement, inner, ()))


def _is_context(function: ast.AST) -> bool:
    return isinstance(function, ast.AsyncFunctionDef) and any(
        ast.unparse(one).endswith("asynccontextmanager") for one in function.decorator_list
    )


def test_contexts_clean_up_when_a_test_fails() -> None:
    found = [
        f"{source.name}:{line}"
        for source in sources("tests")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.AsyncFunctionDef) and _is_context(node)
        for line in unprotected(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("yield 1", 0),
        ("yield 1; close()", 1),
        ("try:\n  yield 1\n finally:\n  close()", 0),
        ("async with a:\n  yield 1\n  close()", 1),
    ],
)
def test_what_is_skipped_is_found(body: str, count: int) -> None:
    (function,) = ast.parse(f"async def context():\n {body}").body
    assert isinstance(function, ast.AsyncFunctionDef)
    assert len(list(unprotected(function))) == count
