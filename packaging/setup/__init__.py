"""Implementation of `packaging/dev.py`: environment, system libraries, screen, checks, locks."""
