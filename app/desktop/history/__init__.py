"""What was published: searched, opened, exported."""

from app.desktop.history.pane import HistoryPane

__all__ = ["HistoryPane"]
