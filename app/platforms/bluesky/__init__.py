"""Bluesky."""
