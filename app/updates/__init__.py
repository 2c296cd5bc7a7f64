"""Newer versions of the app: a signed feed, a bounded download, and the installer that runs on quit.

Off unless the person turns it on, and absent where a system's own packages bring new versions.
The format of the feed is described in `docs/updates.md`.
"""
