"""Events, and the signed webhooks that tell others of them.

To read it, start with ``events`` (what is written when something happens), then
``delivery_worker`` (the loop that delivers) and ``sender`` (one delivery, and every decision about it). The
SQL is in ``subscriptions`` and ``queue``.
"""
