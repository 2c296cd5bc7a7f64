"""What the app knows and has promised: a mirror of the service's posts, and what is not confirmed yet.

Knows no Qt. Runs on the event loop of whoever opens it; disk is left to threads.
"""
