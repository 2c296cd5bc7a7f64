"""Warnings that the user dismissed because they're intended."""

import logging
from collections.abc import Iterable
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.database import DatabaseError
from app.workspace.core import Core
from app.workspace.store.settings import get_setting, put_setting
from app.workspace.warnings.warning import PlanWarning

Mark = tuple[str, str, str]
"""Kind, post, and the other post; the time doesn't matter."""

_NAME: Final = "warnings_aside"
_KEPT: TypeAdapter[list[Mark]] = TypeAdapter(list[Mark])

_log = logging.getLogger(__name__)


def mark_of(warning: PlanWarning) -> Mark:
    """Return what identifies a warning."""
    return warning.kind.value, warning.key, warning.other


class Aside:
    """``marks`` are the dismissed warnings, stored across restarts."""

    def __init__(self, core: Core) -> None:
        self.marks: frozenset[Mark] = frozenset()
        self._core = core

    async def read(self) -> None:
        """Load the stored marks."""
        try:
            kept = await self._core.database.read(lambda connection: get_setting(connection, _NAME, _KEPT))
        except DatabaseError as error:
            _log.warning("which warnings were put aside could not be read: %s", error)
        else:
            self.marks = frozenset(kept or ())

    async def put(self, warnings: Iterable[PlanWarning]) -> None:
        """Dismiss warnings that may be intended. Drops marks of removed posts. Raises Problem."""
        timeline = self._core.mirror.timeline
        chosen = {mark_of(one) for one in warnings if one.key and not one.kind.fails}
        await self._keep(frozenset(mark for mark in self.marks | chosen if mark[1] in timeline))

    async def clear(self) -> None:
        """Show all dismissed warnings again. Raises Problem."""
        await self._keep(frozenset())

    async def _keep(self, marks: frozenset[Mark]) -> None:
        kept = sorted(marks)

        def work(connection: Connection) -> None:
            put_setting(connection, _NAME, kept or None, _KEPT)

        await self._core.write(work)
        self.marks = marks
