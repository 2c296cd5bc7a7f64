"""The composer: one text for several accounts, and when it goes out."""

from app.desktop.composer.panel import ComposerPanel

__all__ = ["ComposerPanel"]
