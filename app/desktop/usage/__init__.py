"""What the service counts: plan, storage, calls."""

from app.desktop.usage.pane import UsagePane

__all__ = ["UsagePane"]
