"""Everything about one post."""

from dataclasses import dataclass
from datetime import datetime

from app.contract.companion import Attempt
from app.workspace.posts.planned import PlannedPost


@dataclass(frozen=True, slots=True)
class PostDetail:
    """A post in full. ``service_id`` is None until the service has it, ``attempts`` where none are told."""

    post: PlannedPost
    text: str
    title: str | None
    service_id: str | None
    media_storage_path: str
    batch_id: str | None
    created_at: datetime
    posted_at: datetime | None
    attempts: tuple[Attempt, ...] | None
