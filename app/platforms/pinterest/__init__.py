"""Pinterest."""
