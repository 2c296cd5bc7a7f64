from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.calendar.days import LocalDays
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.memory import ListedPosts, post

LISBON = LocalDays(ZoneInfo("Europe/Lisbon"))
HOUR = 3_600_000
keys = st.sampled_from("abcdefgh")
changes = st.lists(st.tuples(keys, st.one_of(st.none(), st.integers(0, 200)), st.booleans()), max_size=25)


def new_model() -> ListedPosts:
    return ListedPosts(LISBON, lambda posts: f"{posts[0].headline} in words")


@pytest.fixture
def model(qapp: QApplication) -> Iterator[ListedPosts]:
    model = new_model()
    model.setParent(qapp)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield model
    del tester
    model.setParent(None)


def rows(model: ListedPosts) -> list[PlannedPost]:
    return [model.post_at(row) for row in range(model.rowCount())]


def on_days(model: ListedPosts) -> list[PlannedPost]:
    days = sorted({LISBON.place(one.at).day for one in rows(model)})
    for day in days:
        there, seen = model.on_day(day), model.glance(day)
        assert (list(seen), len(seen)) == (there, len(there))
        assert all(one in seen for one in there)
        assert there[0]._replace(key="another") not in seen
    return [one for day in days for one in model.on_day(day)]


@given(changes)
@pytest.mark.usefixtures("qapp")
def test_rows_and_days_follow_every_change(steps: list[tuple[str, int | None, bool]]) -> None:
    model = new_model()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    expected: dict[str, PlannedPost] = {}
    for key, hour, loud in steps:
        if hour is None:
            expected.pop(key, None)
            model.change((), [key])
        else:
            expected[key] = post(key, hour * HOUR, "LOUD" if loud else "quiet")
            model.change([expected[key]], ())
    in_order = sorted(expected.values(), key=lambda one: (one.at, one.key))
    assert rows(model) == in_order
    assert on_days(model) == in_order
    assert [model.row_of(one.key) for one in in_order] == list(range(len(in_order)))
    assert tester.model() is model


def test_a_move_names_the_days_it_touches_and_removes_and_inserts_one_row(
    model: ListedPosts, qtbot: QtBot
) -> None:
    model.fill([post("a", "2026-11-21T09:00"), post("b", "2026-11-21T10:00"), post("c", "2026-11-25T08:00")])
    touched: set[int] = set()
    model.days_changed.connect(touched.update)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    with qtbot.waitSignals([model.rowsRemoved, model.rowsInserted], timeout=30_000):
        model.change([post("a", "2026-11-25T09:00")], ())
    assert touched == {
        LISBON.place(post("", "2026-11-21T09:00").at).day,
        LISBON.place(post("", "2026-11-25T09:00").at).day,
    }
    assert [one.key for one in rows(model)] == ["b", "c", "a"]
    assert not resets


def test_a_changed_state_touches_only_its_day(model: ListedPosts, qtbot: QtBot) -> None:
    before = post("a", "2026-11-21T09:00")
    model.fill([before])
    with qtbot.waitSignal(model.dataChanged, timeout=30_000), qtbot.assertNotEmitted(model.rowsRemoved):
        model.change([before._replace(headline="Other words")], ())
    assert rows(model)[0].headline == "Other words"
    with qtbot.assertNotEmitted(model.days_changed):
        model.change([before._replace(headline="Other words")], ())


def test_a_row_speaks_for_screen_readers(model: ListedPosts) -> None:
    model.fill([post("a", "2026-11-21T09:00", "Launch teaser")])
    index = model.index(0)
    assert model.data(index) == "Launch teaser"
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == "Launch teaser in words"
    assert model.data(index, Qt.ItemDataRole.DecorationRole) is None


@given(
    st.dictionaries(keys, st.integers(0, 200), max_size=8),
    st.dictionaries(keys, st.integers(0, 200)),
    st.sets(keys),
)
@pytest.mark.usefixtures("qapp")
def test_changes_that_come_together_end_as_if_they_came_one_by_one(
    before: dict[str, int], after: dict[str, int], gone: set[str]
) -> None:
    model = new_model()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    notices: list[set[int]] = []
    model.days_changed.connect(notices.append)
    model.fill([post(key, hour * HOUR) for key, hour in before.items()])
    gone -= after.keys()
    model.change([post(key, hour * HOUR) for key, hour in after.items()], gone)
    expected = {key: hour for key, hour in {**before, **after}.items() if key not in gone}
    in_order = sorted((post(key, hour * HOUR) for key, hour in expected.items()), key=lambda p: (p.at, p.key))
    assert rows(model) == on_days(model) == in_order
    assert [model.row_of(one.key) for one in in_order] == list(range(len(in_order)))
    assert len(notices) == (expected != before)
    assert tester.model() is model


def test_a_group_leaves_and_arrives_in_as_few_pieces_as_it_has(model: ListedPosts) -> None:
    alone = post("alone", "2026-11-26T08:30")
    model.fill([alone, *(post(f"{n:02}", f"2026-11-21T{n:02}:00") for n in range(24))])
    left: list[tuple[int, int]] = []
    came: list[tuple[int, int]] = []
    model.rowsRemoved.connect(lambda _parent, first, last: left.append((first, last)))
    model.rowsInserted.connect(lambda _parent, first, last: came.append((first, last)))
    model.change([post(f"{n:02}", f"2026-11-26T{n:02}:00") for n in range(6, 12)], ())
    assert left == [(6, 11)]
    assert came == [(18, 20), (22, 24)]
