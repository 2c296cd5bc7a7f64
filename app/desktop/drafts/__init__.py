"""Drafts: what was begun and is not planned yet, and files on their way to becoming posts."""

from app.desktop.drafts.pane import DraftsPane
from app.desktop.drafts.spread_sheet import Planned, SpreadSheet

__all__ = ["DraftsPane", "Planned", "SpreadSheet"]
