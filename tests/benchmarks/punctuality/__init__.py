"""Whether posts reach the platform at their time, beside BullMQ on Redis in the same run."""

from tests.benchmarks.punctuality.command import BENCHMARK

__all__ = ["BENCHMARK"]
