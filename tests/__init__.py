"""Tests: they mirror `app/`, and beside that hold the journeys, the gallery and the benchmarks."""
