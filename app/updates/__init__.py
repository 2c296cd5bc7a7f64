"""App updates: a signed feed, a bounded download, and the installer that runs on quit.

Off unless the user turns it on, and absent if the system's package manager updates the app. `docs/updates.md`
describes the feed's format.
"""
