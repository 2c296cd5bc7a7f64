"""What will fail of what is planned, and what to do about it."""

from app.desktop.warnings.panel import WarningPanel
from app.desktop.warnings.wording import Wording, summary

__all__ = ["WarningPanel", "Wording", "summary"]
