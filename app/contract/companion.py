"""What our service offers beyond the specification, under ``/companion/v1``.

A service that lacks it answers 404, and the app then does with the specified paths alone.
"""

from uuid import UUID

from app.contract.base import OpenEnum, ResponseModel, Timestamp


class CompanionRoot(ResponseModel):
    """What is offered. ``practice`` is true where every platform behind the service is a stand-in."""

    version: str
    offers: list[str]
    practice: bool


class AttemptOutcome(OpenEnum):
    """How an attempt to publish ended; ``pending`` while nobody knows yet."""

    PENDING = "pending"
    PUBLISHED = "published"
    REFUSED = "refused"
    TRANSIENT = "transient"
    UNKNOWN = "unknown"


class Attempt(ResponseModel):
    """One attempt to publish a post: the platform's own code and words, and what the person can do."""

    id: UUID
    post_id: UUID
    step: str
    outcome: AttemptOutcome
    started_at: Timestamp
    finished_at: Timestamp | None
    platform_code: str | None
    platform_message: str | None
    advice: str | None


class AttemptList(ResponseModel):
    """Every attempt of one post, newest first."""

    data: list[Attempt]
