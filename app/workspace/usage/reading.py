"""The service's usage, and the part of it that is stored."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from app.contract.companion import Quota
from app.contract.usage import Usage


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
