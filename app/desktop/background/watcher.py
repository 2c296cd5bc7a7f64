"""Waiting for the tray of a Linux desktop that is still coming up."""

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from app.desktop.binding import import_in_thread

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

_NAME: Final = "org.kde.StatusNotifierWatcher"
_ROUNDS: Final = 20
_PAUSE_S: Final = 0.5


async def wait_for_watcher() -> None:
    """Returns when the service that keeps trays is there, or after ten seconds.

    Qt looks for it once and never again, so it must not be asked for a tray before that.
    """
    if sys.platform == "linux":
        await import_in_thread("PySide6.QtDBus")
        from PySide6.QtDBus import QDBusConnection

        for _ in range(_ROUNDS):
            if not await asyncio.to_thread(_is_to_come, QDBusConnection):
                return
            await asyncio.sleep(_PAUSE_S)


def _is_to_come(connection: "type[QDBusConnection]") -> bool:
    """Whether there is a session that may still get a tray."""
    bus = connection.sessionBus()
    if not bus.isConnected():
        return False
    return not bool(bus.interface().isServiceRegistered(_NAME).value())
