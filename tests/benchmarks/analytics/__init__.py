"""How fast the analytics open and answer with all that a mirror may hold, beside plain Python."""

from tests.benchmarks.analytics.command import BENCHMARK

__all__ = ["BENCHMARK"]
