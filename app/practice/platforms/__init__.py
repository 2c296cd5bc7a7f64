"""The stand-in platforms, one module each; what is listed in ``PLATFORMS`` is served."""

from app.practice.platforms.base import Platform
from app.practice.platforms.linkedin import LinkedIn
from app.practice.platforms.pinterest import Pinterest
from app.practice.platforms.threads import Threads
from app.practice.platforms.x import X

PLATFORMS: tuple[type[Platform], ...] = (LinkedIn, Pinterest, X, Threads)
