"""Searches for input that blocks an event loop: ``python -m tests.fuzzing.busy``."""
