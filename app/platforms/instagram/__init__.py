"""Instagram."""
