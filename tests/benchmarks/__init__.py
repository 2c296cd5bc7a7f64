"""Performance measurements for people and tools: `python -m tests.benchmarks NAME [--json] [options]`.

Every other module of this package is a benchmark and defines `BENCHMARK`. To add one, add a file.
"""
