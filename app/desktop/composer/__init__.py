"""The composer: writes a text for several accounts, and schedules it."""

from app.desktop.composer.panel import ComposerPanel

__all__ = ["ComposerPanel"]
