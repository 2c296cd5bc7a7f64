"""Everything about one post."""

from dataclasses import dataclass
from datetime import datetime

from app.contract.companion import Attempt
from app.contract.tiktok import TikTokChoice
from app.workspace.posts.planned import PlannedPost
from app.workspace.web_pages import web_page


@dataclass(frozen=True, slots=True)
class PostDetail:
    """A post in full. ``service_id`` is None until the service has it, ``attempts`` where none are told.

    Board and link are known of pins that were planned here. ``tiktok`` is the choice with which a post to
    TikTok is published, as far as it is known.
    """

    post: PlannedPost
    text: str
    title: str | None
    service_id: str | None
    media_storage_path: str
    batch_id: str | None
    created_at: datetime
    posted_at: datetime | None
    attempts: tuple[Attempt, ...] | None
    board_id: str = ""
    board_name: str = ""
    link: str = ""
    tiktok: TikTokChoice | None = None

    @property
    def page(self) -> str:
        """Where people see the post; "" until it is out, and where the service does not tell."""
        told = (attempt.content_url for attempt in self.attempts or () if attempt.content_url)
        return next(filter(web_page, told), "")
