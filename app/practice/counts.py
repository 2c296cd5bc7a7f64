"""Metrics of practice publications, which grow like real ones: quickly at first."""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime

from app.practice.ledger import Publication

_HOUR_S = 3600.0


@dataclass(frozen=True)
class Counts:
    """Current metrics of a publication."""

    views: int
    likes: int
    comments: int
    shares: int


def counts_of(publication: Publication, now_s: float) -> Counts:
    """Return the metrics at ``now_s`` (seconds since 1970), derived from ID and age; they never decrease."""
    seed = hashlib.sha256(publication.content_id.encode()).digest()
    age_s = max(0.0, now_s - datetime.fromisoformat(publication.received_at).timestamp())
    # Nearly all views happen within one to two days.
    reached = 1 - math.exp(-age_s / (_HOUR_S * (8 + seed[0] % 16)))
    views = (120 + int.from_bytes(seed[1:3]) % 6000) * reached
    return Counts(
        views=int(views),
        likes=int(views * (20 + seed[3] % 60) / 1000),
        comments=int(views * (2 + seed[4] % 8) / 1000),
        shares=int(views * (1 + seed[5] % 7) / 1000),
    )
