"""The panels of the selected posts: of one, or of several."""

from app.desktop.inspector.panel import Inspector
from app.desktop.inspector.several import SelectedPosts

__all__ = ["Inspector", "SelectedPosts"]
