"""Generated requests against the real service, by its own description: ``python -m tests.fuzzing``."""
