"""What the app knows and still has to send: a mirror of the service's posts, and unconfirmed changes.

Knows no Qt. Runs on the event loop that opens it, with disk access in threads.
"""
