"""Publishing: sends due posts on time, exactly once, and records every outcome.

The rows of ``posts`` are the queue. To read it, start with ``engine`` (the loop), then ``publisher`` (one
step of one post) and ``outcome`` (every decision, without I/O). ``preparing`` uploads files to the platforms
ahead of time. The SQL is in ``claims``, ``holds``, ``attempts``, ``endings``, ``live`` and ``recovery``.
"""
