"""The weekly slots of every account, kept."""

from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert

from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.slots.slots import Slot
from app.workspace.store.tables import slots
from app.workspace.time.wall import MINUTES_PER_DAY


class SlotPlan:
    """Slots in the order of the week."""

    def __init__(self, core: Core, kept: Iterable[Slot]) -> None:
        self._core = core
        self._slots = sorted(kept, key=_order)

    def all(self) -> tuple[Slot, ...]:
        return tuple(self._slots)

    async def set(self, account_key: str, chosen: Iterable[Slot]) -> None:
        """Replace an account's posting times; shown immediately. Raises Problem."""
        wanted = sorted({slot for slot in chosen if slot.account_key == account_key}, key=_order)
        if any(not (0 <= slot.weekday < 7 and 0 <= slot.minute < MINUTES_PER_DAY) for slot in wanted):
            raise Problem(tr("A slot is a day of the week and a time of day."), kind="invalid")
        before = [slot for slot in self._slots if slot.account_key == account_key]
        self._show(account_key, wanted)

        def work(connection: Connection) -> None:
            connection.execute(delete(slots).where(slots.c.account_key == account_key))
            if wanted:
                connection.execute(insert(slots), [slot._asdict() for slot in wanted])

        try:
            await self._core.write(work)
        except Problem:
            if [slot for slot in self._slots if slot.account_key == account_key] == wanted:
                self._show(account_key, before)
            raise

    def _show(self, account_key: str, times: Iterable[Slot]) -> None:
        others = (slot for slot in self._slots if slot.account_key != account_key)
        self._slots = sorted([*others, *times], key=_order)
        self._core.changes.tell(Changes(slots=True))


def _order(slot: Slot) -> tuple[int, int, str]:
    return slot.weekday, slot.minute, slot.account_key
