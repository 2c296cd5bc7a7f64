"""How fast the analytics open and respond with a full mirror, compared with plain Python."""

from tests.benchmarks.analytics.command import BENCHMARK

__all__ = ["BENCHMARK"]
