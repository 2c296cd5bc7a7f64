"""`docs/architecture.md` is true: its picture, its packages, and the functions of its journeys."""

import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.architecture.journeys import (
    DRAG,
    DUE_POST,
    PAGE,
    PLATFORM,
    drag,
    follow,
    journey,
    passed,
    publish,
)
from tests.architecture.test_arrows import ARROWS
from tests.architecture.tracing import Call, Function, Trace

_NAMED = re.compile(r"`([A-Za-z_][\w.]*)` in `(app/[\w/]+\.py)`")
_ROW = re.compile(r"^\| `app/(\w+)` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
_ARROW = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)
A, B, C = (Function("app/a.py", name) for name in "abc")


def _functions() -> list[Function]:
    return [Function(file, name) for name, file in _NAMED.findall(PAGE.read_text("utf-8"))]


def _is_there(function: Function) -> bool:
    """Whether a module has something of this name that is defined in it."""
    module = import_module(function.file.removesuffix(".py").replace("/", "."))
    found: object = module
    for part in function.name.split("."):
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    found = found.func if isinstance(found, cached_property) else found
    return getattr(found, "__module__", module.__name__) == module.__name__ and (
        getattr(found, "__qualname__", function.name) == function.name
    )


def _figures(functions: set[Function]) -> tuple[int, int]:
    return len(functions), len({function.file for function in functions})


def _room(name: str) -> str:
    """The package that an arrow leads to: `app.platforms.card` belongs to `platforms`."""
    return name.split(".")[1]


def _packages() -> Iterator[tuple[str, set[str]]]:
    for name, imported in _ROW.findall(PAGE.read_text("utf-8")):
        words = re.sub(r"\([^)]*\)", "", imported).split(",")
        yield name, {word.strip() for word in words} - {"nothing"}


@pytest.mark.parametrize("function", _functions(), ids=str)
def test_the_page_names_what_exists(function: Function) -> None:
    assert _is_there(function)


@pytest.mark.parametrize(
    "name", ["gone", "MouseController.gone", "QApplication", "DropTip.setVisible", "press"]
)
def test_what_was_renamed_or_moved_is_seen(name: str) -> None:
    assert not _is_there(Function("app/desktop/calendar/controller.py", name))


def test_the_table_has_every_package_with_its_imports() -> None:
    assert dict(_packages()) == {
        room: {_room(name) for name in allowed} for room, allowed in ARROWS.items() if room
    }


def test_the_picture_shows_only_imports_that_exist() -> None:
    arrows = _ARROW.findall(PAGE.read_text("utf-8"))

    assert arrows
    assert [(room, to) for room, to in arrows if to not in {_room(name) for name in ARROWS[room]}] == []


def test_a_drag_goes_the_way_that_the_page_describes(qapp: QApplication, tmp_path: Path) -> None:
    written = journey(DRAG)
    with Trace(written.steps) as trace:
        record = drag(qapp, tmp_path, trace)

    assert _figures(passed(follow(written.stretches, record.calls))) == written.figures


def test_a_post_goes_the_way_that_the_page_describes(tmp_path: Path) -> None:
    due, platform = journey(DUE_POST), journey(PLATFORM)
    with Trace([*due.steps, *platform.steps]) as trace:
        planning, publishing = publish(tmp_path, trace)

    assert len(follow(platform.stretches, [*planning.calls, *publishing.calls])) == len(platform.steps) > 0
    assert _figures(passed(follow(due.stretches, publishing.calls))) == due.figures


def test_steps_are_found_in_their_order_and_below_each_other() -> None:
    calls = [Call(C, ()), Call(A, ()), Call(B, ()), Call(B, (A,)), Call(C, (B, A))]

    assert follow([[A, B, C]], calls) == [calls[1], calls[3], calls[4]]
    assert passed(calls[3:]) == {A, B, C}


@pytest.mark.parametrize(
    "stretches",
    [
        pytest.param([[B, A]], id="the order is another one"),
        pytest.param([[A, C]], id="it is called by another one"),
        pytest.param([[A, Function("app/a.py", "d")]], id="it isn't called"),
        pytest.param([[B], [A]], id="a stretch comes before another one"),
    ],
)
def test_another_way_is_seen(stretches: list[list[Function]]) -> None:
    with pytest.raises(AssertionError, match="isn't called by a step before it"):
        follow(stretches, [Call(A, ()), Call(B, (A,)), Call(C, ())])
