"""Publishing: due posts go out on time, once, and every outcome is written down.

The rows of ``posts`` are the queue. To read it, start with ``engine`` (the loop), then ``publisher`` (one
step of one post) and ``outcome`` (every decision, without I/O); ``preparing`` brings files to the platforms
ahead of time. The SQL is in ``claims``, ``holds``, ``attempts``, ``endings``, ``live`` and ``recovery``.
"""

from app.service.publishing.engine import PublishingEngine
from app.service.publishing.settings import PublishingSettings

__all__ = ["PublishingEngine", "PublishingSettings"]
