"""Homes: the services a person keeps calendars on, and how each is reached.

A home is either *on this computer* (an embedded service that the app starts and stops) or a service
elsewhere.
"""

from app.workspace.homes.home import Home, HomeKind
from app.workspace.homes.registry import Homes

__all__ = ["Home", "HomeKind", "Homes"]
