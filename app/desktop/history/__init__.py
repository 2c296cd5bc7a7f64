"""The history pane: published content, searchable and exportable."""

from app.desktop.history.pane import HistoryPane

__all__ = ["HistoryPane"]
