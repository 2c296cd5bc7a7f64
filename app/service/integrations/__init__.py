"""``/integrations``: the pages on which an account's owner manages keys and connects Threads.

Plain pages and forms, without a script. Only their owner sees them, in a session of a browser.
"""
