"""The panel that shows one post."""

from app.desktop.inspector.panel import Inspector

__all__ = ["Inspector"]
