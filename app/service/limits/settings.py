"""What each plan allows a minute, for one key and one action."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from app.contract.enums import Action
from app.service.accounts.plans import Plan

PerMinute = Annotated[int, Field(ge=1, le=1_000_000)]
_UNMET: Final = 6_000
"""What a person at their own computer never meets."""


class Kind(StrEnum):
    """What actions have in common; each action of a kind is counted by itself."""

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
    """The kind that an action's limit goes by."""
    if action is Action.POSTS_CREATE:
        return Kind.CREATE
    if action is Action.POSTS_BULK:
        return Kind.BULK
    return Kind.READ if action in _READS else Kind.WRITE


class PlanLimits(BaseModel):
    """Calls a minute: creating a post, creating many, any other write, and reading."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    create: PerMinute = 60
    bulk: PerMinute = 10
    write: PerMinute = 60
    read: PerMinute = 300


class LocalLimits(PlanLimits):
    """The same for the plan of a person's own computer."""

    create: PerMinute = _UNMET
    bulk: PerMinute = _UNMET
    write: PerMinute = _UNMET
    read: PerMinute = _UNMET


class LimitSettings(BaseModel):
    """The limits of every plan; what a settings file leaves out stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    local: LocalLimits = LocalLimits()
    free: PlanLimits = PlanLimits()
    creator: PlanLimits = PlanLimits()
    studio: PlanLimits = PlanLimits()

    def per_minute(self, plan: Plan, action: Action) -> int:
        """How many calls of one action a key of the plan may make in a minute."""
        return self.of(plan, kind_of(action))

    def of(self, plan: Plan, kind: Kind) -> int:
        """How many calls of one kind are allowed in a minute on the plan."""
        limits: PlanLimits = getattr(self, plan.value)
        allowed: int = getattr(limits, kind.value)
        return allowed
