"""Homes: the services a person keeps calendars on, and how each is reached.

A home is either *on this computer* (an embedded service that the app starts and stops) or a service
elsewhere. Who was here last is read before anything slow is imported, so this imports nothing by itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.workspace.homes.home import Home, HomeKind
    from app.workspace.homes.registry import Homes

__all__ = ["Home", "HomeKind", "Homes"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    module = "registry" if name == "Homes" else "home"
    return getattr(import_module(f"{__name__}.{module}"), name)
