"""Homes: the services with the user's calendars, and how each is reached.

A home is either *on this computer* (an embedded service that the app starts and stops) or a service
elsewhere. The last home is read before anything slow is imported, so this package imports nothing itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.workspace.homes.registry import Home, HomeKind, Homes

__all__ = ["Home", "HomeKind", "Homes"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.registry"), name)
