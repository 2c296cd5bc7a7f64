"""Kalends: schedule social posts on a calendar and publish them on time, exactly once.

``docs/architecture.md`` describes the packages and their dependencies.
"""
