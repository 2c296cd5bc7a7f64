"""Opens existing posts in the composer: as copies, as replacements, or after publishing was taken back."""

from dataclasses import replace
from uuid import uuid4
from zoneinfo import ZoneInfo

from app.desktop.shell.incoming import Incoming
from app.desktop.shell.window import MainWindow
from app.language import tr, trn
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Message, MessageAction, Problem
from app.workspace.posts.reading import PostDetail
from app.workspace.tiktok import TikTokDraft
from app.workspace.workspace import Workspace

UNPUBLISH = "unpublish"
"""The verb of a message that takes back posts about to be published; its subject is a draft's ID."""


class Rewriting:
    """Opens the composer on existing posts; its previous content becomes a draft."""

    def __init__(self, window: MainWindow, workspace: Workspace, zone: ZoneInfo, incoming: Incoming) -> None:
        self._window, self._workspace, self._zone, self._incoming = window, workspace, zone, incoming
        self._publishing: dict[str, tuple[list[str], ComposerDraft]] = {}

    async def write_again(self, key: str) -> None:
        """Write a copy of a post. Raises Problem."""
        draft = await self._draft_of(await self._workspace.detail(key))
        # TikTok wants its creators to choose for each post.
        await self._incoming.begin(replace(draft, tiktok={}), None)

    async def replace(self, key: str) -> None:
        """Replace a post; once the service has the new one, the old one is cancelled. Raises Problem."""
        detail = await self._workspace.detail(key)
        draft = await self._draft_of(detail)
        await self._incoming.begin(replace(draft, at=detail.post.at, replaces=key), detail.post.at)

    def offer_back(self, keys: list[str], draft: ComposerDraft) -> None:
        """Show that posts are about to be published; while it's shown, that can be taken back."""
        self._publishing = {draft.draft_id: (keys, draft)}
        text = trn(
            "{n} post will be published in a moment.", "{n} posts will be published in a moment.", len(keys)
        )
        action = MessageAction(tr("Undo"), UNPUBLISH, draft.draft_id)
        self._window.messages.tell(Message("info", text, action=action))

    async def unpublish(self, draft_id: str) -> None:
        """Take back unsent posts, and open the composer on them again. Raises Problem."""
        keys, draft = self._publishing.pop(draft_id, ([], ComposerDraft()))
        accounts = {key: post.account_key for key in keys if (post := self._workspace.posts.get(key))}
        back = [accounts[key] for key in self._workspace.take_back(keys)]
        if len(back) < len(keys):
            text = trn(
                "{n} post is already published. Cancelling doesn't remove it; delete it on the platform.",
                "{n} posts are already published. Cancelling doesn't remove them; delete "
                "them on the platform.",
                len(keys) - len(back),
            )
            self._window.messages.tell(Message("warning", text))
        if back:
            await self._incoming.begin(replace(draft, draft_id=str(uuid4()), account_keys=tuple(back)), None)

    async def _draft_of(self, detail: PostDetail) -> ComposerDraft:
        account = detail.post.account_key
        return ComposerDraft(
            text=detail.text,
            account_keys=(account,),
            zone=self._zone.key,
            upload_id=await self._upload_of(detail.media_storage_path),
            title=detail.title or "",
            boards={account: Board(detail.board_id, detail.board_name)} if detail.board_id else {},
            link=detail.link,
            tiktok={account: TikTokDraft.of(detail.tiktok)} if detail.tiktok else {},
        )

    async def _upload_of(self, path: str) -> str:
        """The upload of a stored file. Of one that is lost it is unknown: the composer asks for the file."""
        if not path:
            return ""
        try:
            return (await self._workspace.media.library.upload_of(path)).id
        except Problem as problem:
            self._window.messages.tell(Message("warning", problem.text))
            return f"lost/{path}"
