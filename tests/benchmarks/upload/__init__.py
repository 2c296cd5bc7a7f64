"""Uploads to the service and from the app, compared with curl in the same run."""

from tests.benchmarks.upload.command import BENCHMARK

__all__ = ["BENCHMARK"]
