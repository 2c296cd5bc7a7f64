"""What was changed: steps that can be taken back, and posts that were changed elsewhere meanwhile."""

from app.desktop.changes.conflict_panel import ConflictPanel
from app.desktop.changes.step_panel import StepPanel

__all__ = ["ConflictPanel", "StepPanel"]
