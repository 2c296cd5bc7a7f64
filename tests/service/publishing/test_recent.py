"""What is forgotten, and how many values are looked at for that."""

from datetime import timedelta
from typing import Any

from app.service.publishing.recent import Recent

KEPT = timedelta(minutes=10)


class CountedTime(timedelta):
    """Counts the comparisons of ages."""

    asked = 0

    def __sub__(self, other: Any) -> Any:
        CountedTime.asked += 1
        return timedelta.__sub__(self, other)


def test_values_are_forgotten_after_their_time() -> None:
    recent: Recent[str, int] = Recent(KEPT)
    recent.put("a", 1, timedelta())
    recent.put("b", 2, timedelta(minutes=5))
    recent.put("a", 3, timedelta(minutes=9))
    recent.put("c", 4, timedelta(minutes=15))
    assert [recent.get(key) for key in "abc"] == [3, None, 4]
    recent.drop("a")
    recent.drop("a")
    assert (recent.get("a"), len(recent)) == (None, 1)


def test_the_number_of_kept_values_does_not_slow_down_the_next() -> None:
    recent: Recent[int, None] = Recent(KEPT)
    for number in range(1_000):
        recent.put(number, None, CountedTime(milliseconds=number))
    assert len(recent) == 1_000
    assert CountedTime.asked <= 2_000
