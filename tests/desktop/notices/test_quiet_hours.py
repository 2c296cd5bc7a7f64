"""The hours in which notifications wait."""

from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.notices.quiet_hours import QuietHours


class Memory(dict[str, str]):
    """What the window would keep."""

    def remember(self, name: str, value: str) -> None:
        self[name] = value

    def recall(self, name: str) -> object:
        return self.get(name)


MINUTES = st.builds(time, st.integers(0, 23), st.integers(0, 59))


def test_there_are_none_until_they_are_chosen() -> None:
    quiet = QuietHours(Memory())
    assert (quiet.is_on, quiet.begin, quiet.end) == (False, time(22), time(8))
    assert not quiet.include(time(3))
    quiet.turn(on=True)
    assert quiet.include(time(3))


@pytest.mark.parametrize(
    ("now", "is_quiet"),
    [(time(21, 59), False), (time(22), True), (time(0), True), (time(7, 59, 59), True), (time(8), False)],
)
def test_they_last_over_midnight(now: time, is_quiet: bool) -> None:
    quiet = QuietHours(Memory())
    quiet.turn(on=True)
    assert quiet.include(now) == is_quiet


@given(MINUTES, MINUTES, MINUTES)
def test_they_and_the_rest_of_the_day_share_no_minute(begin: time, end: time, now: time) -> None:
    quiet, rest = QuietHours(Memory()), QuietHours(Memory())
    quiet.choose(begin, end)
    rest.choose(end, begin)
    for one in (quiet, rest):
        one.turn(on=True)
    assert quiet.include(now) + rest.include(now) == (begin != end)


def test_what_cannot_be_read_is_taken_for_the_usual_times() -> None:
    memory = Memory()
    quiet = QuietHours(memory)
    quiet.choose(time(20), time(6, 30))
    assert (QuietHours(memory).begin, QuietHours(memory).end) == (time(20), time(6, 30))
    memory.update(dict.fromkeys(memory, "late"))
    assert (quiet.begin, quiet.end) == (time(22), time(8))
