"""The platforms' daily quotas and their usage, if practice enforces them."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.practice.settings import Settings
from app.practice.store import Store

_SLOT_S: Final = 60
"""Time resolution in s: everything used within a minute is one number and expires together."""
_DAY_S: Final = 86_400


@dataclass(frozen=True)
class Quota:
    """A quota.

    Attributes:
        name: Name under which it's counted.
        limit: Maximum number.
        window_s: Seconds until each use expires; ignored with ``midnight``.
        midnight: Time zone at whose midnight all uses expire.
        per_app: Whether all accounts of an app share it.
    """

    name: str
    limit: int
    window_s: int = _DAY_S
    midnight: str = ""
    per_app: bool = False


class UsedUpError(Exception):
    """A quota is used up until ``resets_at``, in seconds since the epoch."""

    def __init__(self, quota: Quota, resets_at: float) -> None:
        super().__init__(quota.name)
        self.quota = quota
        self.resets_at = resets_at


class Quotas:
    """Usage of each quota by holder. Nothing is counted if quotas are off."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def check(self, quota: Quota, holder: str) -> None:
        """Raise UsedUpError if the quota is used up."""
        if not self._settings.quotas:
            return
        now = self._settings.clock()
        [used] = self._store.rows(
            "SELECT coalesce(sum(number), 0) AS number, min(slot) AS oldest FROM spent"
            " WHERE quota = ? AND holder = ? AND slot >= ?",
            quota.name,
            holder,
            _first_slot(quota, now),
        )
        if used["number"] >= quota.limit:
            raise UsedUpError(quota, _reset(quota, now, used["oldest"]))

    def count(self, quota: Quota, holder: str) -> None:
        """Count one use."""
        if not self._settings.quotas:
            return
        now = self._settings.clock()
        with self._store.transaction() as db:
            db.execute(
                "INSERT INTO spent (quota, holder, slot, number) VALUES (?, ?, ?, 1)"
                " ON CONFLICT DO UPDATE SET number = number + 1",
                (quota.name, holder, int(now) // _SLOT_S),
            )
            db.execute(
                "DELETE FROM spent WHERE quota = ? AND slot < ?", (quota.name, _first_slot(quota, now))
            )


def _first_slot(quota: Quota, now: float) -> int:
    if quota.midnight:
        return int(_midnight(quota.midnight, now, timedelta())) // _SLOT_S
    return int(now - quota.window_s) // _SLOT_S


def _reset(quota: Quota, now: float, oldest: int) -> float:
    if quota.midnight:
        return _midnight(quota.midnight, now, timedelta(days=1))
    return float((oldest + 1) * _SLOT_S + quota.window_s)


def _midnight(zone: str, now: float, later: timedelta) -> float:
    today = datetime.fromtimestamp(now, ZoneInfo(zone)).date()
    return datetime.combine(today + later, time(), ZoneInfo(zone)).timestamp()
