"""Notifications for a user who isn't looking at Kalends."""
