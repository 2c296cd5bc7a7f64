"""The weekly posting times of accounts."""

from app.desktop.slots.panel import SlotPanel

__all__ = ["SlotPanel"]
