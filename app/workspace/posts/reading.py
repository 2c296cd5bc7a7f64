"""Reads posts from disk and the service: one with all details, and those with certain words."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from app.client import ClientError
from app.contract.companion import BY_USER_STEP, Attempt, AttemptOutcome
from app.contract.enums import PostingPlatform
from app.contract.places import PlaceOptions
from app.contract.tiktok import TikTokChoice
from app.database import DatabaseError
from app.workspace.core import Core
from app.workspace.editing.options import read_options
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import GONE
from app.workspace.search import SearchHits, find, matching_posts
from app.workspace.store import loading
from app.workspace.store.first import PIECE
from app.workspace.store.loading import PostRow
from app.workspace.sync.sync import Sync
from app.workspace.tiktok import read_choice
from app.workspace.web_pages import web_page


@dataclass(frozen=True, slots=True)
class PostDetail:
    """A post with all details. ``service_id`` is None until the service has it, ``attempts`` if unknown.

    Board and link are only known for pins scheduled here. ``tiktok`` is the post's choice for TikTok, if
    known.
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
    options: PlaceOptions | None = None

    @property
    def is_finished_by_user(self) -> bool:
        """Whether the user published it: by hand, or from their inbox on the platform."""
        published = (one for one in self.attempts or () if one.outcome is AttemptOutcome.PUBLISHED)
        return any(one.step == BY_USER_STEP for one in published)

    @property
    def page(self) -> str:
        """URL of the published post; "" if it is not published or the URL is unknown."""
        told = (attempt.content_url for attempt in self.attempts or () if attempt.content_url)
        return next(filter(web_page, told), "")


class PostReader:
    """Reads in threads. Every method raises Problem."""

    def __init__(self, core: Core, sync: Sync) -> None:
        self._core, self._sync = core, sync

    async def detail(self, key: str) -> PostDetail:
        """Return a post with all details, as the service has them. This may take as long as the service does.

        If the service is unreachable, ``attempts`` is None, and the rest is that of `stored_detail`.
        """
        stored = await self.stored_detail(key)
        choice = await self._choice_there(key, stored.post.platform) or stored.tiktok
        return replace(stored, attempts=await self._attempts(key), tiktok=choice)

    async def stored_detail(self, key: str) -> PostDetail:
        """Return a post without its attempts, from disk.

        Only the choice for TikTok of a post scheduled elsewhere is requested from the service.

        If it was deleted, the Problem has the kind ``not_found``.
        """
        row = await self._core.read(lambda connection: loading.post_row(connection, key))
        choice = await self._choice(row) if row is not None else None
        post = self._core.mirror.timeline.get(key)
        if post is None or row is None:
            raise Problem(GONE, kind="not_found")
        return PostDetail(
            post=post,
            text=row.description or "",
            title=row.title,
            service_id=row.service_id,
            media_storage_path=row.media_storage_path,
            batch_id=row.batch_id,
            created_at=row.created_at,
            posted_at=row.posted_at,
            attempts=None,
            board_id=row.board_id or "",
            board_name=row.board_name or "",
            link=row.link or "",
            tiktok=choice,
            options=read_options(row.options),
        )

    async def texts(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the full texts of posts by key, without unknown posts."""
        found: dict[str, str] = {}
        for start in range(0, len(keys), PIECE):
            piece = keys[start : start + PIECE]
            found |= await self._core.read(partial(loading.texts, keys=piece))
        return found

    async def search(self, typed: str, most: int) -> SearchHits:
        """Find posts, drafts and files by the beginnings of words, ignoring case and accents."""
        return await self._core.read(lambda connection: find(connection, typed, most))

    async def matching(self, typed: str) -> frozenset[str] | None:
        """Return the keys of all posts with these words; None without words."""
        return await self._core.read(lambda connection: matching_posts(connection, typed))

    async def _attempts(self, key: str) -> tuple[Attempt, ...] | None:
        service_id = self._core.mirror.service_id(key)
        if service_id is None or "attempts" not in self._sync.offers:
            return None
        try:
            attempts = (await self._core.client.attempts(service_id)).data
            await self._sync.explanations.take(key, attempts)
        except (ClientError, DatabaseError):
            return None
        return tuple(attempts)

    async def _choice(self, row: PostRow) -> TikTokChoice | None:
        """Return the choice for TikTok as scheduled here; the service's if it was scheduled elsewhere."""
        if row.tiktok is None:
            return await self._choice_there(row.key, PostingPlatform(row.platform))
        return read_choice(row.tiktok)

    async def _choice_there(self, key: str, platform: PostingPlatform) -> TikTokChoice | None:
        """Return the service's choice for TikTok; None if it has none or can't be asked."""
        service_id = self._core.mirror.service_id(key)
        if platform is PostingPlatform.TIKTOK and service_id is not None and "tiktok" in self._sync.offers:
            with suppress(ClientError):
                return await self._core.client.tiktok.post_choice(service_id)
        return None
