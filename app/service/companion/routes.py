"""Everything under ``/companion/v1``: one router for each file."""

from typing import Final

from app.service.companion.connections import router as connections
from app.service.companion.deliveries import router as deliveries
from app.service.companion.events import router as events
from app.service.companion.keys import router as keys
from app.service.companion.media import router as media
from app.service.companion.platforms import router as platforms
from app.service.companion.posts import router as posts
from app.service.companion.quotas import router as quotas
from app.service.companion.root import router as root
from app.service.companion.tiktok import router as tiktok

ROUTERS: Final = (
    root,
    posts,
    connections,
    deliveries,
    events,
    keys,
    media,
    platforms,
    quotas,
    tiktok,
)
"""A new part is added here, and its word in ``root.OFFERS``."""
