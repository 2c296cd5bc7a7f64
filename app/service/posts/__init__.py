"""Posts: planned, listed, moved and deleted."""
