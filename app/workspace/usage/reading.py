"""What the service said of its usage, and what of that is kept."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from app.contract.companion import Quota
from app.contract.usage import Usage


class Told(BaseModel):
    """The service's whole answer, and when it came in milliseconds; ``quotas`` where it tells of them."""

    model_config = ConfigDict(frozen=True)

    at: int
    usage: Usage
    quotas: tuple[Quota, ...] = ()


class Reading(NamedTuple):
    """What was counted at a moment in milliseconds: calls of the period so far, and bytes stored."""

    at: int
    calls: int
    used_bytes: int


def reading_of(told: Told) -> Reading:
    """What is kept of an answer for good."""
    usage = told.usage
    return Reading(told.at, sum(usage.actions.values()), usage.storage.used_bytes)
