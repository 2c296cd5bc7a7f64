"""Stores when this computer was on."""

import logging
from typing import Final

from app.database import DatabaseError
from app.workspace.core import Core
from app.workspace.store.settings import get_setting, put_setting
from app.workspace.warnings.presence import KEPT, Presence

_NAME: Final = "hours_on"

_log = logging.getLogger(__name__)


class Attendance:
    """``presence`` is what's known; ``note`` is called about every minute while Kalends runs."""

    def __init__(self, core: Core) -> None:
        self.presence = Presence()
        self._core = core

    async def read(self) -> None:
        """Load what was stored."""
        try:
            kept = await self._core.database.read(lambda connection: get_setting(connection, _NAME, KEPT))
        except DatabaseError as error:
            _log.warning("when this computer was on could not be read: %s", error)
        else:
            self.presence = Presence(kept or {})

    async def note(self) -> None:
        """Note that Kalends is running now."""
        if not self.presence.note(self._core.clock()):
            return
        days = dict(self.presence.days)
        try:
            await self._core.commit(lambda connection: put_setting(connection, _NAME, days, KEPT))
        except DatabaseError as error:
            _log.warning("that this computer is on could not be kept: %s", error)
