"""Publishing delay, compared with BullMQ on Redis and Procrastinate on PostgreSQL in the same run."""

from tests.benchmarks.punctuality.command import BENCHMARK

__all__ = ["BENCHMARK"]
