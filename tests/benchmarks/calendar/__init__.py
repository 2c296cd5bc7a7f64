"""How fast the calendar is with many posts, compared with FullCalendar and GNOME Calendar in the same run."""

from tests.benchmarks.calendar.command import BENCHMARK

__all__ = ["BENCHMARK"]
