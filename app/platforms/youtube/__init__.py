"""YouTube."""
