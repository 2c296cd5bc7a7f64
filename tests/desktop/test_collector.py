"""The garbage collector looks through what is new while somebody works, and through everything at rest."""

import gc
import weakref
from collections.abc import Iterator
from typing import Final

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.collector import Collection, GuiThreadCollector

_MANY: Final = 300_000
_TICKS: Final = 150
"""More than enough for each generation to be due."""


class _Circle:
    """Garbage that only a collector finds."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def collection() -> Iterator[Collection]:
    made = Collection()
    yield made
    made.stop()


def _work(collection: Collection) -> list[list[int]]:
    """Some ticks in which a little is allocated each time; gives what is kept of it."""
    kept: list[list[int]] = []
    for number in range(_TICKS):
        kept.extend([number] for _ in range(2_000))
        collection.collect()
    return kept


def test_new_garbage_is_collected(collection: Collection) -> None:
    circle = weakref.ref(_Circle())
    assert circle() is not None
    _work(collection)
    assert circle() is None


def test_what_came_while_the_app_started_is_not_looked_through(collection: Collection) -> None:
    circle = weakref.ref(_Circle())
    collection.keep()
    _work(collection)
    assert circle() is not None


def test_the_first_tick_leaves_what_came_while_the_app_started(qapp: QApplication) -> None:
    collector = GuiThreadCollector(start_ms=0)
    try:
        circle = weakref.ref(_Circle())
        came = [[number] for number in range(_MANY)]  # more than what may be freed meanwhile
        before = gc.get_freeze_count()
        qapp.processEvents()
        assert circle() is not None
        assert gc.get_freeze_count() > before + len(came) // 2
    finally:
        collector.stop()


def test_nothing_is_collected_by_whatever_thread_allocates(collection: Collection) -> None:
    assert not gc.isenabled()
    collection.stop()
    assert gc.isenabled()


def test_nothing_is_looked_through_where_nothing_is_allocated(collection: Collection) -> None:
    for _ in range(_TICKS):
        collection.collect()
    assert not collection.collect()


def test_what_has_been_there_for_a_while_is_not_looked_through_again(collection: Collection) -> None:
    much = [[number] for number in range(_MANY)]
    kept = _work(collection)
    assert len(gc.get_objects()) < _MANY
    assert gc.get_freeze_count() > len(much)
    assert len(kept) > _MANY / 2


@pytest.mark.parametrize("every_s", [0.0, 3_600.0])
def test_at_rest_everything_is_looked_through_now_and_then(every_s: float) -> None:
    collection = Collection(every_s)
    try:
        circle = _Circle()
        gone = weakref.ref(circle)
        _work(collection)
        del circle
        _work(collection)
        assert gone() is not None
        collection.collect_all()
        assert (gone() is None) == (every_s == 0)
    finally:
        collection.stop()


def test_at_the_end_new_garbage_is_collected_and_what_was_kept_stays(collection: Collection) -> None:
    kept = weakref.ref(_Circle())
    collection.keep()
    new = weakref.ref(_Circle())
    collection.stop()
    assert new() is None
    gc.collect()
    assert kept() is not None
