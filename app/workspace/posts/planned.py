"""A post on the calendar, small enough to keep a hundred thousand of them in memory."""

from enum import Enum
from typing import NamedTuple

from app.contract.enums import PostingPlatform, PostStatus, PostType


class SyncState(Enum):
    """Whether the service knows what the person wants of a post."""

    SYNCED = "synced"
    WAITING = "waiting"
    SENDING = "sending"
    CONFLICT = "conflict"  # somebody else changed the post meanwhile, and a person has to choose


class PlannedPost(NamedTuple):
    """What a card shows.

    ``key`` is the post's identity here and stays when the service gives it an id. ``at`` is the publish time
    in milliseconds since 1970 UTC. ``headline`` is one line of at most 140 characters. ``reason`` says why a
    post failed or may be live, else it is empty; ``may_be_live`` means that nobody knows the outcome.
    ``media`` is the storage path of its file, empty for none.
    """

    key: str
    at: int
    account_key: str
    platform: PostingPlatform
    post_type: PostType
    status: PostStatus
    headline: str
    sync: SyncState = SyncState.SYNCED
    reason: str = ""
    may_be_live: bool = False
    published: bool = False
    batch_id: str | None = None
    media: str = ""
