"""Accounts and uploads for drafts, without a service."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from app.contract.enums import ConnectionPlatform, PostType
from app.workspace.accounts.account import Account
from app.workspace.changes import Listeners
from app.workspace.clock import to_millis
from app.workspace.editing.model import DraftModel
from app.workspace.editing.schedule import Schedule
from app.workspace.media.upload import Upload, UploadState

LISBON = ZoneInfo("Europe/Lisbon")
NOW = to_millis(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))
TOMORROW = NOW + 86_400_000
_TYPES = {PostType.IMAGE: "image/jpeg", PostType.VIDEO: "video/mp4"}


def account(key: str, platform: str, *, is_available: bool = True) -> Account:
    return Account(
        key=key,
        platform=ConnectionPlatform(platform),
        name=key.capitalize(),
        handle=None,
        identifier=key,
        avatar_url=None,
        followers=None,
        is_verified=None,
        is_available=is_available,
        token_expires_at=None,
        connected_at=datetime(2026, 1, 1, tzinfo=UTC),
        color_index=0,
        practice=False,
    )


def accounts(*platforms: str) -> dict[str, Account]:
    """One account of each platform, named by it."""
    return {platform: account(platform, platform) for platform in platforms}


def upload(id_: str, post_type: PostType = PostType.IMAGE, state: UploadState = UploadState.DONE) -> Upload:
    return Upload(
        id=id_,
        path=Path(f"/{id_}"),
        name=f"{id_}.file",
        post_type=post_type,
        content_type=_TYPES[post_type],
        size=1_000,
        modified_ns=0,
        added_at=0,
        state=state,
        width=1_080,
        height=1_080,
        storage_path=f"stored/{id_}" if state is UploadState.DONE else "",
        reason="It broke off." if state is UploadState.FAILED else "",
    )


class KnownUploads:
    """Uploads in memory, told like those of a workspace."""

    def __init__(self, *known: Upload) -> None:
        self.known = {one.id: one for one in known}
        self.told: Listeners[Upload] = Listeners()
        self.listen = self.told.add

    def get(self, upload_id: str) -> Upload | None:
        return self.known.get(upload_id)

    def move(self, moved: Upload) -> None:
        """Let an upload get on."""
        self.known[moved.id] = moved
        self.told.tell(moved)


def model(
    *platforms: str, uploads: KnownUploads | None = None, asks_tiktok: bool = True, at: int = TOMORROW
) -> DraftModel:
    """An empty draft for tomorrow, with accounts to choose from."""
    made = DraftModel(
        uploads or KnownUploads(), Schedule.of(at, LISBON), now=lambda: NOW, asks_tiktok=lambda: asks_tiktok
    )
    made.set_accounts(accounts(*platforms))
    return made
