"""Scheduled posts in memory, their commands, and conflicts."""
