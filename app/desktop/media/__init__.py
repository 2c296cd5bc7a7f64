"""Media: the files at the service, and those on their way there."""

from app.desktop.media.pane import MediaPane

__all__ = ["MediaPane"]
