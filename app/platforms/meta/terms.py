"""The common parts of the cards of Facebook, Instagram and Threads."""

from typing import Final

from app.platforms.card import Hosts

# Graph API v25.0 is supported until 2028-07-29.
GRAPH: Final = Hosts(
    consent="https://www.facebook.com",
    issuer="https://graph.facebook.com",
    api="https://graph.facebook.com",
    version="v25.0",
    # Meta's video publishing guide and its own libraries use this host for all phases.
    videos="https://graph-video.facebook.com",
    uploads=("facebook.com",),
)
