"""Kalends: plan social posts on a calendar; they go out on time, once, by themselves.

The rooms, and which may know which, are described in ``docs/architecture.md``.
"""
