"""Measurements that people and tools rely on: `python -m tests.benchmarks NAME [--json] [options]`.

Every other module of this package is one measurement and holds a `BENCHMARK`; a new one is a new file.
"""
