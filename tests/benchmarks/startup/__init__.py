"""How soon the window, the last state and the service are there, and how much memory both programs take."""

from tests.benchmarks.startup.command import BENCHMARK

__all__ = ["BENCHMARK"]
