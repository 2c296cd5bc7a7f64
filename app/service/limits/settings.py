"""Calls per minute for each plan, by key and action."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from app.contract.enums import Action
from app.service.accounts.accounts import Plan

PerMinute = Annotated[int, Field(ge=1, le=1_000_000)]
_UNMET: Final = 6_000
"""A limit that one user on their own computer never reaches."""


class Kind(StrEnum):
    """Groups of actions with the same limit; each action is counted separately."""

    CREATE = "create"
    BULK = "bulk"
    WRITE = "write"
    READ = "read"


_READS: Final = frozenset(
    {
        Action.POSTS_LIST,
        Action.POSTS_GET,
        Action.POSTS_ANALYTICS,
        Action.CONNECTIONS_LIST,
        Action.CONNECTIONS_GET,
        Action.CONNECTIONS_BOARDS,
        Action.MEDIA_VIEW,
        Action.WEBHOOKS_LIST,
        Action.WEBHOOKS_GET,
        Action.WEBHOOKS_DELIVERIES,
        Action.ANALYTICS_LIST,
        Action.HISTORY_LIST,
        Action.USAGE_GET,
    }
)


def kind_of(action: Action) -> Kind:
    """Return the group of an action."""
    if action is Action.POSTS_CREATE:
        return Kind.CREATE
    if action is Action.POSTS_BULK:
        return Kind.BULK
    return Kind.READ if action in _READS else Kind.WRITE


class PlanLimits(BaseModel):
    """Calls per minute: creating a post, creating in bulk, each other write, and each read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    create: PerMinute = 60
    bulk: PerMinute = 10
    write: PerMinute = 60
    read: PerMinute = 300


class LocalLimits(PlanLimits):
    """The same for the plan of a user's own computer."""

    create: PerMinute = _UNMET
    bulk: PerMinute = _UNMET
    write: PerMinute = _UNMET
    read: PerMinute = _UNMET


class LimitSettings(BaseModel):
    """The limits of every plan. Omitted values keep their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    local: LocalLimits = LocalLimits()
    free: PlanLimits = PlanLimits()
    creator: PlanLimits = PlanLimits()
    studio: PlanLimits = PlanLimits()

    def per_minute(self, plan: Plan, action: Action) -> int:
        """Return a plan's limit for one action, in calls per minute."""
        return self.of(plan, kind_of(action))

    def of(self, plan: Plan, kind: Kind) -> int:
        """Return a plan's limit for a group of actions, in calls per minute."""
        limits: PlanLimits = getattr(self, plan.value)
        allowed: int = getattr(limits, kind.value)
        return allowed
