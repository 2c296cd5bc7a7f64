"""Analytics of published posts: totals, lines, hours, posts."""

from app.desktop.analytics.pane import AnalyticsPane

__all__ = ["AnalyticsPane"]
