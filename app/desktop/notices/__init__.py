"""Telling somebody who is not looking: by the system's notifications, else in the window."""

from app.desktop.notices.teller import Teller

__all__ = ["Teller"]
