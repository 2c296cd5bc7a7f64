"""A post that does not exist yet."""

from dataclasses import dataclass, field
from uuid import uuid4

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceOptions
from app.contract.tiktok import TikTokChoice
from app.platforms.cards import by_hand_key


@dataclass(frozen=True, slots=True)
class NewPost:
    """A post to schedule. ``at`` is in milliseconds since 1970 UTC; None publishes immediately.

    ``media_storage_path`` is that of an image or a video, empty for none. Pins need a board, and may have a
    web address (``link``). Without a choice for TikTok (``tiktok``), the account's choice is used.
    ``options`` are those of a companion network; None for the account's defaults. ``by_hand``: the user
    publishes it at its time.

    Scheduling twice with the same ``idempotency_key`` (1 to 200 characters) makes one post.
    """

    account_key: str
    platform: PostingPlatform
    post_type: PostType
    text: str
    title: str | None = None
    at: int | None = None
    media_storage_path: str = ""
    board_id: str = ""
    board_name: str = ""
    link: str = ""
    tiktok: TikTokChoice | None = None
    options: PlaceOptions | None = None
    by_hand: bool = False
    idempotency_key: str = field(default_factory=lambda: str(uuid4()))

    @property
    def ruled_by(self) -> PostingPlatform:
        """The platform whose rules apply: in its own composer, limits of its API don't."""
        return PostingPlatform(by_hand_key(self.platform)) if self.by_hand else self.platform
