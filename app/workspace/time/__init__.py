"""Time on the wall: days, weeks and moves in one zone, over clock changes. Pure functions."""
