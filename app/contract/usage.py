"""Plan, counters and storage."""

from app.contract.base import Count, ResponseModel, Timestamp
from app.contract.enums import SubscriptionStatus


class Storage(ResponseModel):
    """How much room media take, and how much they may."""

    used_bytes: Count
    cap_bytes: Count
    used_human: str
    cap_human: str


class Usage(ResponseModel):
    """What an account used in the current period; ``actions`` maps ``rest.<area>.<action>`` to a count."""

    plan: str | None
    status: SubscriptionStatus
    current_period_end: Timestamp | None
    period: str
    actions: dict[str, Count]
    storage: Storage
