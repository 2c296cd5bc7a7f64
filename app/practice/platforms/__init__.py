"""The practice platforms, one module each. ``PLATFORMS`` lists the served ones."""

from app.practice.platforms.base import Platform
from app.practice.platforms.bluesky import Bluesky
from app.practice.platforms.facebook import Facebook
from app.practice.platforms.instagram import Instagram
from app.practice.platforms.linkedin import LinkedIn
from app.practice.platforms.mastodon import Mastodon
from app.practice.platforms.pinterest import Pinterest
from app.practice.platforms.threads import Threads
from app.practice.platforms.tiktok import TikTok
from app.practice.platforms.x import X
from app.practice.platforms.youtube import YouTube

PLATFORMS: tuple[type[Platform], ...] = (
    LinkedIn,
    TikTok,
    Pinterest,
    Instagram,
    YouTube,
    X,
    Facebook,
    Threads,
    Bluesky,
    Mastodon,
)
