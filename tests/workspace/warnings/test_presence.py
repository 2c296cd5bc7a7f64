"""When this computer is usually on."""

from hypothesis import example, given
from hypothesis import strategies as st

from app.workspace.warnings.presence import KEPT, Habit, Presence
from tests.workspace.model_service import HOUR, START

DAY = 24 * HOUR
WEEK = 7 * DAY
START_OF_DAY = START - 9 * HOUR


def office(days: int, *, until: int = START) -> Presence:
    """On from nine to five, as far as ``until``."""
    presence = Presence()
    for day in range(days, -1, -1):
        for hour in range(9, 17):
            moment = START_OF_DAY - day * DAY + hour * HOUR
            if moment <= until:
                presence.note(moment)
    return presence


def test_what_was_noted_is_news_once_an_hour() -> None:
    presence = Presence()
    assert presence.note(START)
    assert not presence.note(START + HOUR - 1)
    assert presence.note(START + HOUR)


def test_nothing_is_known_in_the_first_days() -> None:
    night = START_OF_DAY + DAY + 3 * HOUR
    assert Presence().was_off(night, START) is None
    assert Presence().next_on(night, START) == night
    assert office(2).was_off(night, START) is None


def test_a_night_is_told_by_days_and_later_by_weeks() -> None:
    night, noon = START_OF_DAY + DAY + 3 * HOUR, START_OF_DAY + DAY + 12 * HOUR
    assert office(5).was_off(night, START) == Habit(5, weekly=False)
    assert office(5).was_off(noon, START) is None
    assert office(27).was_off(night, START) == Habit(3, weekly=True)
    assert office(27).was_off(noon + 8 * WEEK, START) is None
    assert str(Habit(5, weekly=False)) == (
        "Kalends wasn't running at that time of day on any of the last 5 days."
    )


def test_a_day_of_the_week_has_habits_of_its_own() -> None:
    presence = office(27)
    sunday = START_OF_DAY + DAY + 12 * HOUR
    for weeks in range(1, 5):
        presence.days[(sunday - weeks * WEEK) // DAY] = 0
    assert presence.was_off(sunday, START) == Habit(3, weekly=True)
    assert presence.was_off(sunday + DAY, START) is None


def test_the_hours_beside_count_as_clocks_change() -> None:
    presence = office(27)
    eight, seven = START_OF_DAY + DAY + 8 * HOUR, START_OF_DAY + DAY + 7 * HOUR
    assert presence.was_off(eight, START) is None
    assert presence.was_off(seven, START) is not None
    assert presence.next_on(seven - 3 * HOUR, START) == eight


def test_four_weeks_are_kept() -> None:
    presence = office(27)
    assert len(presence.days) == 28
    presence.note(START + DAY)
    assert len(presence.days) == 28
    assert KEPT.validate_json(KEPT.dump_json(presence.days)) == presence.days


@given(st.sets(st.integers(0, 27 * 24), min_size=1), st.integers(1, 2_000))
@example({0, 647}, 167)
def test_a_computer_that_was_on_is_never_called_off(hours: set[int], ahead: int) -> None:
    presence = Presence()
    for hour in sorted(hours):
        presence.note(START - 27 * DAY + hour * HOUR)
    at = START + ahead * HOUR
    habit = presence.was_off(at, START)
    if habit is not None:
        step = WEEK if habit.weekly else DAY
        samples = (at - number * step for number in range(1, 2_000))
        past = [sample for sample in samples if sample <= START - 2 * HOUR]  # hours whose neighbours are over
        on = {START - 27 * DAY + hour * HOUR for hour in hours}
        assert not on & set(past[: habit.times])
    usual = presence.next_on(at, START)
    assert usual is None or presence.was_off(usual, START) is None
