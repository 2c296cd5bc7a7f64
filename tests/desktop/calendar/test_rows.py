"""The map between posts and the cards that show them."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar import rows
from app.desktop.calendar.rows import CardRows

FLAGS = st.lists(st.booleans(), max_size=40)
STEPS = st.lists(st.tuples(st.sampled_from(["lead", "follow", "insert", "remove"]), st.integers(0, 40)))


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_BLOCK", 4)


def assert_counted(found: CardRows, flags: list[bool]) -> None:
    before = [0, *accumulate(flags)]
    assert [found.row(place) for place in range(len(flags) + 1)] == before
    leads = [place for place, leads in enumerate(flags) if leads]
    assert [found.position(row) for row in range(len(found))] == leads
    with pytest.raises(IndexError):
        found.position(len(leads))


@given(FLAGS, STEPS)
def test_rows_and_positions_match_after_any_changes(flags: list[bool], steps: list[tuple[str, int]]) -> None:
    found = CardRows(bytearray(flags))
    assert_counted(found, flags)
    for step, number in steps:
        place = min(number, len(flags))
        if step == "insert":
            flags.insert(place, False)
            found.insert(place)
        elif place == len(flags):
            continue
        elif step == "remove":
            found.mark(place, place + 1, leads=False)
            found.remove(place)
            del flags[place]
        else:
            flags[place] = step == "lead"
            found.mark(place, place + 1, leads=flags[place])
        assert_counted(found, flags)
    assert list(found.between(1, 5)) == flags[1:5]
