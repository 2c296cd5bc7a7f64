"""Kalends without its window: in the tray, and back from there."""
