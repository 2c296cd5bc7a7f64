"""Plan, call counts and storage."""

from typing import Annotated

from app.contract.base import Count, Cut, ResponseModel, Timestamp, Word
from app.contract.enums import SubscriptionStatus


class Storage(ResponseModel):
    """Used and available storage."""

    used_bytes: Count
    cap_bytes: Count
    used_human: Word
    cap_human: Word


class Usage(ResponseModel):
    """An account's usage in the current period; ``actions`` maps ``rest.<area>.<action>`` to a count."""

    plan: Word | None
    status: SubscriptionStatus
    current_period_end: Timestamp | None
    period: Word
    actions: Annotated[dict[Word, Count], Cut(1_000)]
    storage: Storage
