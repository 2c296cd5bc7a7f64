"""Builds the frozen app and its packages."""
