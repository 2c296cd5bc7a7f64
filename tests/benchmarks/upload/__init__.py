"""Uploads to the service and from the app, beside what curl reaches in the same run."""

from tests.benchmarks.upload.command import BENCHMARK

__all__ = ["BENCHMARK"]
