"""Reusing posts: copies and replacements of existing ones, and failed ones that can be published again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import uuid4
from zoneinfo import ZoneInfo

from app.contract.enums import PostStatus
from app.desktop.shell.incoming import Incoming
from app.desktop.shell.window import MainWindow
from app.desktop.words import clock, day, platform_name
from app.language import tr, trn
from app.workspace.clock import wall_clock
from app.workspace.connections.interruptions import can_be_repeated
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.options import PostOptions
from app.workspace.messages import Message, MessageAction, Problem
from app.workspace.notices.notice import SHOW_POSTS
from app.workspace.posts.new import NewPost
from app.workspace.posts.reading import PostDetail
from app.workspace.tiktok import TikTokDraft
from app.workspace.time.wall import WallClock
from app.workspace.workspace import Workspace

UNPUBLISH = "unpublish"
"""The verb of a message that takes back posts about to be published; its subject is a draft's ID."""


class Rewriting:
    """Opens the composer on existing posts; its previous content becomes a draft."""

    def __init__(self, window: MainWindow, workspace: Workspace, zone: ZoneInfo, incoming: Incoming) -> None:
        self._window, self._workspace, self._zone, self._incoming = window, workspace, zone, incoming
        self._is_opening = False
        self._publishing = incoming.undoable.publishing

    async def write_again(self, key: str) -> None:
        """Open a copy of a post. Raises Problem."""
        if not self._is_opening:  # else its button was clicked twice
            with self._opening():
                await self._incoming.begin(await self._copy_of(key), None)

    async def duplicate(self, keys: Sequence[str]) -> None:
        """Open a copy of a post; of several posts, all copies or none become drafts. Raises Problem."""
        if len(keys) == 1:
            await self.write_again(keys[0])
            return
        copies = [await self._copy_of(key) for key in keys]
        ids = [self._workspace.drafts.keep(copy).id for copy in copies]
        made = trn("{n} draft created.", "{n} drafts created.", len(ids))
        self._window.messages.tell(Message("info", made, action=self._incoming.undo_of(ids)))

    async def replace(self, key: str) -> None:
        """Replace a post; once the service has the new one, the old one is cancelled. Raises Problem."""
        if self._is_opening:
            return
        with self._opening():
            detail = await self._workspace.stored_detail(key)
            draft = await self._draft_of(detail)
            await self._incoming.begin(replace(draft, at=detail.post.at, replaces=key), detail.post.at)

    @contextmanager
    def _opening(self) -> Iterator[None]:
        self._is_opening = True
        try:
            yield
        finally:
            self._is_opening = False

    def offer_back(self, keys: list[str], draft: ComposerDraft) -> None:
        """Show that posts are about to be published, with a button to undo that."""
        self._publishing[draft.draft_id] = keys, draft
        text = trn(
            "{n} post will be published in a moment.", "{n} posts will be published in a moment.", len(keys)
        )
        action = MessageAction(tr("Undo"), UNPUBLISH, draft.draft_id)
        self._window.messages.tell(Message("info", text, action=action))

    async def unpublish(self, draft_id: str) -> None:
        """Undo "Publish now", and open the composer on the posts that weren't sent. Raises Problem.

        If that can't be stored, it's offered again.
        """
        keys, draft = self._publishing.pop(draft_id, ([], ComposerDraft()))
        back = self._workspace.unsent(keys)
        posts = [post for key in back if (post := self._workspace.posts.get(key))]
        _cancel_sent(self._workspace, keys, back, self._window.messages.tell)
        accounts = tuple(post.account_key for post in posts)
        again = replace(draft, draft_id=str(uuid4()), account_keys=accounts)
        if await self._workspace.take_back_as_draft(back, again, draft_id):
            await self._incoming.open_draft(again.draft_id)
        elif back:
            self.offer_back(back, draft)  # they'll still be published

    async def _copy_of(self, key: str) -> ComposerDraft:
        draft = await self._draft_of(await self._workspace.stored_detail(key))
        return replace(draft, tiktok={})  # TikTok wants its creators to choose for each post

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
            options={account: PostOptions.of(detail.options)} if detail.options else {},
            by_hand=(account,) if detail.post.by_hand else (),
        )

    async def _upload_of(self, path: str) -> str:
        """Return the upload of a stored file. If the file is lost, the composer asks for it again."""
        if not path:
            return ""
        try:
            return (await self._workspace.media.library.upload_of(path)).id
        except Problem:
            return f"lost/{path}"


PUBLISH_AGAIN: Final = "publish_again"
"""The verb of a message whose posts, by their keys, are published now."""
PLAN_AGAIN: Final = "plan_again"
"""The same, but for the next future day, at the same time of day."""
TAKE_BACK: Final = "take_back_posts"
_WITHDRAWN: Final = (PostStatus.CANCELLED, PostStatus.FAILED)
"""The states of posts that won't be published."""


class OnceMore:
    """Asks about failed posts when their account is reconnected, and carries out the answer."""

    def __init__(self, window: MainWindow, workspace: Workspace, zone: ZoneInfo) -> None:
        self._window, self._workspace, self._clock = window, workspace, WallClock(zone)

    async def offer(self) -> None:
        """Ask about each reconnected account, next to earlier questions. Raises Problem."""
        for one in await self._workspace.interruptions.ended():
            text = trn(
                "{n} post failed while {platform} was disconnected.",
                "{n} posts failed while {platform} was disconnected.",
                len(one.posts),
                platform=platform_name(one.account.platform.value),
            )
            keys = " ".join(post.key for post in one.posts)
            self._window.messages.tell(
                Message(
                    "warning",
                    text,
                    action=MessageAction(tr("Publish now"), PUBLISH_AGAIN, keys),
                    other=MessageAction(tr("Schedule again"), PLAN_AGAIN, keys),
                    dismiss=tr("Not now"),
                )
            )

    async def publish(self, keys: Iterable[str]) -> None:
        """Publish those posts now that can still be repeated. Raises Problem."""
        details = await self._details(keys)
        made = self._workspace.plan([_again(detail, None) for detail in details]) if details else []
        if made:
            text = trn(
                "{n} post will be published in a moment.",
                "{n} posts will be published in a moment.",
                len(made),
            )
            action = MessageAction(tr("Undo"), TAKE_BACK, " ".join(made))
            self._window.messages.tell(Message("info", text, action=action))

    async def plan(self, keys: Iterable[str]) -> None:
        """Schedule posts with the same gaps, from the next future day on. Raises Problem."""
        details = await self._details(keys)
        if not details:
            return
        times = self._moved([detail.post.at for detail in details])
        made = self._workspace.plan([_again(detail, at) for detail, at in zip(details, times, strict=True)])
        first = datetime.fromtimestamp(min(times) / 1_000, self._clock.zone)
        text = trn(
            "{n} post scheduled for {day}, {time}.",
            "{n} posts scheduled, the first for {day}, {time}.",
            len(made),
            day=day(first),
            time=clock(first),
        )
        action = MessageAction(tr("Show"), SHOW_POSTS, " ".join(made))
        self._window.messages.tell(Message("info", text, action=action))

    def take_back(self, keys: Sequence[str]) -> None:
        """Undo that posts are published now."""
        back = self._workspace.take_back(keys)
        _cancel_sent(self._workspace, keys, back, self._window.messages.tell)

    async def _details(self, keys: Iterable[str]) -> list[PostDetail]:
        """Return the posts that can still be repeated, by time; some may have changed since the question."""
        posts = [post for key in keys if can_be_repeated(post := self._workspace.posts.get(key)) and post]
        in_order = sorted(posts, key=lambda post: post.at)
        return [await self._workspace.stored_detail(post.key) for post in in_order]

    def _moved(self, times: Sequence[int]) -> list[int]:
        """Return the same times of day, moved by the fewest days that put all of them in the future."""
        places, now = [self._clock.place(at) for at in times], wall_clock()
        days = max(0, self._clock.today(now) - min(place.day for place in places))
        while any(self._clock.instant(place.day + days, place.minute) <= now for place in places):
            days += 1
        return [self._clock.instant(place.day + days, place.minute) for place in places]


def _cancel_sent(
    workspace: Workspace, keys: Sequence[str], back: Collection[str], tell: Callable[[Message], None]
) -> None:
    """Cancel the posts that can't be taken back like ``back``; messages say what can't be undone."""
    posts = [post for key in keys if key not in back and (post := workspace.posts.get(key))]
    live = [post for post in posts if post.published or post.status is PostStatus.POSTED]
    sent = [post for post in posts if post not in live and post.status not in _WITHDRAWN]
    if live:
        text = trn(
            "{n} post is already published. Cancelling doesn't remove it; delete it on the platform.",
            "{n} posts are already published. Cancelling doesn't remove them; delete them on the platform.",
            len(live),
        )
        tell(Message("warning", text))
    if sent:
        workspace.cancel(post.key for post in sent)
        text = trn(
            "{n} post may have been sent already. If it isn't published yet, it will be cancelled.",
            "{n} posts may have been sent already. Those that aren't published yet will be cancelled.",
            len(sent),
        )
        tell(Message("warning", text))
    if not (back or live or sent):
        tell(Message("info", tr("There's nothing left to undo.")))


def _again(detail: PostDetail, at: int | None) -> NewPost:
    post = detail.post
    return NewPost(
        account_key=post.account_key,
        platform=post.platform,
        post_type=post.post_type,
        text=detail.text,
        title=detail.title,
        at=at,
        media_storage_path=detail.media_storage_path,
        board_id=detail.board_id,
        board_name=detail.board_name,
        link=detail.link,
        options=detail.options,
        tiktok=detail.tiktok,
        by_hand=post.by_hand,
    )
