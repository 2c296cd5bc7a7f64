"""The drafts pane: unscheduled posts and the uploads of their files."""

from app.desktop.drafts.pane import DraftsPane
from app.desktop.drafts.spread_sheet import Planned, SpreadSheet

__all__ = ["DraftsPane", "Planned", "SpreadSheet"]
