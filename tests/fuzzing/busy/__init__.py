"""Runs that look for what keeps an event loop busy: ``python -m tests.fuzzing.busy``."""
