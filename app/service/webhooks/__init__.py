"""Events, and the signed webhooks that tell others of them.

To read it, start with ``events`` (what is written when something happens), then ``worker`` (the loop that
delivers), ``sender`` (one delivery) and ``outcome`` (every decision, without I/O). The SQL is in
``subscriptions``, ``queue``, ``log`` and ``pruning``.
"""
