"""Kalends without its window: in the tray, and back from there."""

from app.desktop.background.background import Background

__all__ = ["Background"]
