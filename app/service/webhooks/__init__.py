"""Events, and the signed webhooks that deliver them.

To read it, start with ``events`` (records what happened), then ``delivery_worker`` (the loop that delivers)
and ``sender`` (one delivery, and every decision about it). The SQL is in ``subscriptions`` and ``queue``.
"""
