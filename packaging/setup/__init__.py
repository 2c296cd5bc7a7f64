"""What `packaging/dev.py` does: environment, system libraries, screen, checks, locks."""
