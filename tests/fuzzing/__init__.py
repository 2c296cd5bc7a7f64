"""Generated requests to the real service, from its API description: ``python -m tests.fuzzing``."""
