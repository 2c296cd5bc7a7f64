"""Wall-clock time: days, weeks and moves in one zone, across clock changes. Pure functions."""
