"""What somebody is writing, as it is kept between key strokes and restarts."""

from dataclasses import dataclass, field
from uuid import uuid4


@dataclass(frozen=True, slots=True)
class ComposerDraft:
    """The composer's contents.

    ``text`` is shared; ``texts`` holds, by account key, the versions that differ; ``titles`` likewise.
    ``at`` is in milliseconds since 1970 UTC, None while publishing at once; ``zone`` is an IANA name.
    ``upload_id`` names the upload of its file, empty for none.
    ``draft_id`` makes one idempotency key per account, so that sending twice makes one post.
    """

    text: str = ""
    account_keys: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    at: int | None = None
    zone: str = ""
    upload_id: str = ""
    draft_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it would be missed."""
        return not (self.text.strip() or self.upload_id)

    def idempotency_key(self, account_key: str) -> str:
        """The key for this draft's post on one account."""
        return f"{self.draft_id}:{account_key}"
