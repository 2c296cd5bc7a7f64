"""The usage pane: plan, storage and API calls."""

from app.desktop.usage.pane import UsagePane

__all__ = ["UsagePane"]
