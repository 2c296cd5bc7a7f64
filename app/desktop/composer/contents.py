"""What is written, attached and chosen, put together for one account at a time."""

from collections.abc import Callable, Sequence

from app.contract.enums import ConnectionPlatform
from app.desktop.composer.accounts import posting_platform
from app.desktop.composer.attachment import Attachment
from app.desktop.composer.pin_fields import PinFields
from app.desktop.composer.preview import Sketch
from app.desktop.composer.problems import Obstacle, Written
from app.desktop.composer.tiktok_fields import TikTokFields
from app.desktop.composer.writing import Writing
from app.workspace.accounts.account import Account
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.new import NewPost
from app.workspace.rules import RULES

_NO_BOARD = Board("", "")


class Contents:
    """Reads the composer's fields; each account gets its own version."""

    def __init__(
        self, writing: Writing, attachment: Attachment, pin: PinFields, tiktok: TikTokFields
    ) -> None:
        self._writing, self._attachment, self._pin, self._tiktok = writing, attachment, pin, tiktok

    def new_posts(self, accounts: Sequence[Account], draft: ComposerDraft, *, at_once: bool) -> list[NewPost]:
        """Return the posts of accounts, for the draft's time or at once; the draft gives their keys."""
        at = None if at_once else draft.at
        return [self._new_post(account, at, draft.idempotency_key(account.key)) for account in accounts]

    def _new_post(self, account: Account, at: int | None, idempotency_key: str) -> NewPost:
        board = self._board_of(account)
        return NewPost(
            account_key=account.key,
            platform=posting_platform(account),
            post_type=self._attachment.post_type,
            text=self._writing.text_for(account.key),
            title=self._title_of(account) or None,
            at=at,
            media_storage_path=self._attachment.storage_path_for(account.key),
            board_id=board.id,
            board_name=board.name,
            link=self._pin.sent_link() if account.platform is ConnectionPlatform.PINTEREST else "",
            tiktok=self._tiktok.choice_for(account.key),
            idempotency_key=idempotency_key,
        )

    def written(self, account: Account) -> Written:
        """Return what the rules of an account's platform are asked about."""
        upload = self._attachment.upload_for(account.key)
        return Written(
            account,
            self._attachment.post_type,
            self._writing.text_for(account.key),
            self._title_of(account),
            upload.facts if upload else None,
            self._board_of(account).id,
        )

    def tiktok_obstacles(self, go_to_file: Callable[[str], None]) -> list[Obstacle]:
        """Return what TikTok would refuse of what is chosen for its accounts."""

        def duration_of(account_key: str) -> int | None:
            upload = self._attachment.upload_for(account_key)
            return upload.facts.duration_ms if upload else None

        return self._tiktok.obstacles(self._attachment.post_type, duration_of, go_to_file)

    def sketch(self, account: Account) -> Sketch:
        """Return what the preview shows of an account's post."""
        picture = self._attachment.picture_for(account.key)
        return Sketch(account, self._title_of(account), self._writing.text_for(account.key), picture)

    def _title_of(self, account: Account) -> str:
        """The title, where the platform has one for such posts."""
        rules = RULES.get(posting_platform(account))
        titled = rules is None or self._attachment.post_type in rules.title_types
        return self._writing.title_for(account.key).strip() if titled else ""

    def _board_of(self, account: Account) -> Board:
        return self._pin.boards().get(account.key, _NO_BOARD)
