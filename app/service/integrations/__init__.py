"""``/integrations``: pages on which an account's owner manages keys and connects Threads.

Plain pages and forms without scripts, visible only in the owner's browser session.
"""
