"""Time until window, last state and service are ready, and the memory of both programs."""

from tests.benchmarks.startup.command import BENCHMARK

__all__ = ["BENCHMARK"]
