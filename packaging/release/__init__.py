"""Makes the frozen app and its packages."""
