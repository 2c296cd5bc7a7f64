"""The service's usage: requested, cached while the service is unreachable, and stored hourly."""

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter
from sqlalchemy import Connection, delete, insert, select

from app.client import ClientError
from app.contract.companion import Quota
from app.contract.usage import Usage
from app.database import DatabaseError
from app.language import tr
from app.workspace.core import Core
from app.workspace.store.tables import get_setting, put_setting, usage_readings

_SETTING: Final = "usage"
_HOUR_MS: Final = 3_600_000
_KEPT_MS: Final = 400 * 24 * _HOUR_MS
_log = logging.getLogger(__name__)


class Told(BaseModel):
    """The service's whole response, and its time in ms; ``quotas`` if the service has them."""

    model_config = ConfigDict(frozen=True)

    at: int
    usage: Usage
    quotas: tuple[Quota, ...] = ()


class Reading(NamedTuple):
    """The counts at a moment in ms: calls of the period so far, and bytes stored."""

    at: int
    calls: int
    used_bytes: int


def reading_of(told: Told) -> Reading:
    """Return the part of a response to store permanently."""
    usage = told.usage
    return Reading(told.at, sum(usage.actions.values()), usage.storage.used_bytes)


_SHAPE: Final = TypeAdapter(Told)


class UsageBook:
    """Every response of the service becomes a reading, whatever requested it."""

    def __init__(self, core: Core, offers: Callable[[], frozenset[str]]) -> None:
        """``offers`` returns what the companion API offers."""
        self._core = core
        self._offers = offers

    async def ask(self) -> Usage:
        """Ask the service. Raises ClientError, but not if the reading can't be stored."""
        usage = await self._core.client.usage()
        await self._keep(Told(at=self._core.clock(), usage=usage))
        return usage

    async def refresh(self) -> Told:
        """Request everything that the pane shows. Raises Problem."""
        usage = await self._core.call(self._core.client.usage(), tr("This service doesn't report usage."))
        told = Told(at=self._core.clock(), usage=usage, quotas=await self._quotas())
        await self._keep(told)
        return told

    async def last(self) -> Told | None:
        """Return the last response, even from an earlier run of the app. Raises Problem."""
        return await self._core.read(lambda rows: get_setting(rows, _SETTING, _SHAPE))

    async def readings(self, since: int) -> list[Reading]:
        """Return the readings from a moment in ms on, oldest first. Raises Problem."""
        return await self._core.read(lambda rows: _read(rows, since))

    async def _quotas(self) -> tuple[Quota, ...]:
        """Return the quotas; None if the service has none or fails: they're optional."""
        if "quotas" not in self._offers():
            return ()
        try:
            return tuple((await self._core.client.quotas()).data)
        except ClientError as error:
            _log.info("the quotas are not known: %s", type(error).__name__)
            return ()

    async def _keep(self, told: Told) -> None:
        try:
            await self._core.commit(lambda rows: _write(rows, told))
        except DatabaseError as error:
            _log.warning("a reading of the usage could not be kept: %s", error)


def _write(rows: Connection, told: Told) -> None:
    """Store the reading, replacing an earlier one of the same hour."""
    put_setting(rows, _SETTING, told, _SHAPE)
    reading = reading_of(told)
    hour = reading.at - reading.at % _HOUR_MS
    rows.execute(delete(usage_readings).where(usage_readings.c.at.between(hour, hour + _HOUR_MS - 1)))
    rows.execute(delete(usage_readings).where(usage_readings.c.at < reading.at - _KEPT_MS))
    rows.execute(insert(usage_readings).values(reading._asdict()))


def _read(rows: Connection, since: int) -> list[Reading]:
    chosen = select(usage_readings).where(usage_readings.c.at >= since).order_by(usage_readings.c.at)
    return [Reading(*row) for row in rows.execute(chosen)]
