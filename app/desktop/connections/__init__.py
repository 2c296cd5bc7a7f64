"""The accounts that are connected, and connecting more of them."""

from app.desktop.connections.pane import ConnectionsPane
from app.desktop.connections.waiting import WaitingSheet

__all__ = ["ConnectionsPane", "WaitingSheet"]
