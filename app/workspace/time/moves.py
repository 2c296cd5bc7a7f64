"""Where a drag or a key moves posts, on the wall clock: a clock change only affects times that it skips."""

from collections.abc import Iterable, Mapping

from app.language import tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTES_PER_DAY, Landing, Reading, WallClock

SNAP_MINUTES = 15


def by_days(clock: WallClock, posts: Iterable[PlannedPost], days: int) -> dict[str, Landing]:
    """Move each post by whole days, keeping its time of day and the gaps between posts."""
    return by_minutes(clock, posts, days * MINUTES_PER_DAY)


def by_minutes(clock: WallClock, posts: Iterable[PlannedPost], minutes: int) -> dict[str, Landing]:
    """Move each post by minutes of the wall clock, across midnight if needed.

    A post in the second pass of a repeated hour stays in the second pass while it stays in that hour.
    """
    return {post.key: _moved(clock, post.at, minutes) for post in posts}


def _moved(clock: WallClock, at: int, minutes: int) -> Landing:
    place, second_ms = clock.place(at), clock.second_ms(at)
    days, minute = divmod(place.minute + minutes, MINUTES_PER_DAY)
    landing = clock.land(place.day + days, minute, second_ms)
    if days == 0 and landing.other is not None and clock.land(*place, second_ms).other == at:
        return Landing(landing.other)
    return landing


def to_day(clock: WallClock, at: int, day: int) -> Landing:
    """Return the same time of day on another day."""
    return clock.land(day, clock.place(at).minute, clock.second_ms(at))


def times(landings: Mapping[str, Landing]) -> dict[str, int]:
    """Return the times for ``Workspace.move``."""
    return {key: landing.at for key, landing in landings.items()}


def snapped(minute: int, step: int = SNAP_MINUTES) -> int:
    """Round to the nearest step of minutes; halfway goes to the later one."""
    return (minute + step // 2) // step * step


def to_next_step(minute: int, direction: int, step: int = SNAP_MINUTES) -> int:
    """Return the minutes to the next step in a direction (1 or -1): 10:07 goes to 10:15 or 10:00."""
    over = minute % step
    if over == 0:
        return direction * step
    return step - over if direction > 0 else -over


def remark(clock: WallClock, landing: Landing) -> str | None:
    """Explain what a clock change does to a move, before the drop; None if nothing."""
    if landing.reading is Reading.ONCE:
        return None
    minute = clock.place(landing.at).minute
    if landing.reading is Reading.TWICE:
        return tr(
            "The clocks go back that day, so {time} happens twice. The first one is used.",
            time=_spoken(minute),
        )
    asked = (minute - landing.shift) % MINUTES_PER_DAY
    return tr(
        "The clocks go forward that day, so {asked} doesn't exist. It becomes {time}.",
        asked=_spoken(asked),
        time=_spoken(minute),
    )


def _spoken(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
