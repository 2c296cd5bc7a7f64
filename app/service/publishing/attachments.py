"""A post's file, TikTok choice, options and stored upload steps."""

from collections.abc import Callable
from functools import partial
from typing import Final, Self
from uuid import UUID

import structlog
from sqlalchemy import Connection, bindparam, select

from app.contract.enums import PostingPlatform
from app.contract.places import PlaceLimits, PlaceOptions
from app.contract.tiktok import TikTokChoice
from app.database import Database
from app.database.committer import Work
from app.database.dialects import upsert
from app.platforms.base import FailureKind, Media, PlatformError, Steps, WebContent
from app.platforms.cards import CARDS, COMPANION_NETWORKS
from app.service import inbox
from app.service.media.prober import Frames
from app.service.media.settings import FileAddresses
from app.service.media.stores import MediaStore, Place
from app.service.outbound import OutboundClient
from app.service.publishing import holds
from app.service.publishing.history import Attempt, ClaimedPost
from app.service.publishing.pages import fetch
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import connections, media, posts, publication_steps
from app.service.tiktok import choice_of_post
from app.service.worker import until_written

_log = structlog.get_logger(__name__)


class Attachments:
    """Loads the files, choices and stored steps of posts to publish."""

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        seal: Seal,
        holder: UUID | None = None,
        *,
        addresses: FileAddresses | None = None,
        frames: Frames | None = None,
        outbound: OutboundClient | None = None,
    ) -> None:
        """Bind the attachments to their stores.

        Args:
            database: The database with the rows.
            store: The store with the files.
            seal: Encrypts the steps.
            holder: If given, steps are only written while this preparer holds the post's preparation.
            addresses: Public addresses of files; without them, no platform can fetch a file.
            frames: Extracts pictures from videos; without it, videos have no cover pictures.
            outbound: Fetches pages that posts link to; without it, posts have no link cards.
        """
        self._database = database
        self._store = store
        self._addresses = addresses
        self._frames = frames
        self._outbound = outbound
        self._seal = seal
        self._holder = holder

    def held_by(self, holder: UUID) -> Self:
        """Return a copy that only writes steps while ``holder`` holds the post's preparation."""
        stores = self._database, self._store, self._seal
        return type(self)(
            *stores, holder, addresses=self._addresses, frames=self._frames, outbound=self._outbound
        )

    async def media_of(self, post: ClaimedPost) -> Media | None:
        """Return the post's file, or None if it has none or the file is gone."""
        path = post.media_storage_path
        if not path:
            return None
        which = {"path": path, "account": post.account_id}
        row = await self._database.read(lambda rows: rows.execute(_STORED, which).one_or_none())
        if row is None:
            return None
        place = Place(path, row.object_key)
        return Media(
            size=row.size_bytes,
            content_type=row.content_type,
            sha256=row.sha256,
            open=partial(self._store.open_at, place),
            width=row.width,
            height=row.height,
            duration_ms=row.duration_ms,
            alt_text=row.alt_text,
            cover_ms=row.cover_ms,
            address=partial(self._address, place, row.content_type),
            picture_at=partial(self._picture, place, row.size_bytes),
        )

    async def choice_of(self, post: ClaimedPost) -> TikTokChoice | None:
        """Return the user's TikTok choice for a post; None without one, and for other platforms."""
        if post.platform is not PostingPlatform.TIKTOK:
            return None
        return await self._database.read(lambda rows: choice_of_post(rows, post.id))

    async def is_to_inbox(self, post: ClaimedPost) -> bool:
        """Whether a post goes to the user's inbox on the platform."""
        if CARDS[post.platform].inbox is None:
            return False
        return await self._database.read(lambda rows: inbox.is_to_inbox(rows, post.connection_id))

    async def options_of(self, post: ClaimedPost) -> tuple[PlaceOptions | None, PlaceLimits | None]:
        """Return a post's options and its server's limits; None on platforms of the specification."""
        if post.platform.value not in COMPANION_NETWORKS:
            return None, None
        row = await self._database.read(lambda rows: rows.execute(_PLACE, {"post": post.id}).one_or_none())
        if row is None:
            return None, None
        options = None if row.options is None else PlaceOptions.model_validate(row.options)
        return options, None if row.limits is None else PlaceLimits.model_validate(row.limits)

    async def page(self, url: str, bytes_max: int) -> WebContent | None:
        """Return at most ``bytes_max`` bytes from a public address; None if that fails."""
        return None if self._outbound is None else await fetch(self._outbound, url, bytes_max)

    async def _address(self, place: Place, content_type: str) -> str | None:
        return await self._addresses.public(place, content_type) if self._addresses else None

    async def _picture(self, place: Place, size: int, ms: int) -> bytes | None:
        return await self._frames.picture(place, size, ms) if self._frames else None

    def steps_of(
        self,
        post: ClaimedPost,
        claimant: UUID | None = None,
        before: Callable[[Connection, UUID], None] | None = None,
    ) -> Steps:
        """Return the stored steps of a post's publication.

        With a ``claimant``, they are only written while it has claimed the post, and again until that works.
        ``before`` is called in the transaction first, with the post's ID.
        """
        return StoredSteps(self._database, self._seal, post.id, self._holder, claimant, before)

    def mark_of(self, post: ClaimedPost, attempt: Attempt) -> dict[str, object] | None:
        """Return the step to write with an attempt; None for posts without a file, which need no steps.

        As long as it can be read, none of the steps was lost since the attempt began: not with the key, with
        an export without secrets, or with a newer database.
        """
        mark = str(attempt.id)
        return _row(self._seal, post.id, mark, mark) if post.media_storage_path else None

    async def has_all_steps(self, post: ClaimedPost) -> bool:
        """Whether no steps were lost since the post's open attempts began."""
        steps = self.steps_of(post)
        return None not in [await steps.get(str(attempt.id)) for attempt in post.open_attempts]


_PLACE: Final = (
    select(posts.c.options, connections.c.limits)
    .join(connections, connections.c.id == posts.c.connection_id)
    .where(posts.c.id == bindparam("post"))
)
_STORED: Final = select(media).where(
    media.c.storage_path == bindparam("path"),
    media.c.account_id == bindparam("account"),
    media.c.sha256.is_not(None),
)
_STEP_KEY: Final = (publication_steps.c.post_id, publication_steps.c.name)
_STEP: Final = select(publication_steps.c.value).where(
    publication_steps.c.post_id == bindparam("post"),
    publication_steps.c.name == bindparam("step"),
)
_HOLDER: Final = select(posts.c.claimed_by).where(posts.c.id == bindparam("post")).with_for_update()


def _row(seal: Seal, post_id: UUID, name: str, value: str) -> dict[str, object]:
    return {"post_id": post_id, "name": name, "value": seal.close(value, post_id)}


class NotClaimedError(Exception):
    """This process has lost its claim on the post, so it mustn't write the steps of another one."""


class StoredSteps:
    """The steps of one post's publication, stored encrypted."""

    def __init__(
        self,
        database: Database,
        seal: Seal,
        post_id: UUID,
        holder: UUID | None = None,
        claimant: UUID | None = None,
        before: Callable[[Connection, UUID], None] | None = None,
    ) -> None:
        self._claimant = claimant
        self._before = before
        self._database = database
        self._seal = seal
        self._post_id = post_id
        self._holder = holder

    async def get(self, name: str) -> str | None:
        """Return the last value stored as ``name``; None if it's missing or can't be decrypted."""
        which = {"post": self._post_id, "step": name}
        sealed = await self._database.read(lambda rows: rows.scalar(_STEP, which))
        try:
            return None if sealed is None else self._seal.open(sealed, self._post_id)
        except SealBrokenError:
            return None

    async def put(self, name: str, value: str) -> None:
        """Store a value durably.

        Raises PlatformError (TRANSIENT) if another worker has taken over the preparation, and NotClaimedError
        if the claimant has lost the post.
        """
        row = _row(self._seal, self._post_id, name, value)

        def work(rows: Connection) -> None:
            if self._holder is not None and not holds.is_held(rows, self._post_id, self._holder):
                raise PlatformError(FailureKind.TRANSIENT, "taken_over", "The upload was taken over.")
            step = upsert(rows, publication_steps)
            rows.execute(
                step.on_conflict_do_update(index_elements=_STEP_KEY, set_={"value": step.excluded.value}), row
            )

        if self._claimant is None:
            await self._database.write(work)
        else:
            await self._put_claimed(work)

    async def _put_claimed(self, work: Work[None]) -> None:
        """Repeat a write until it succeeds: it may be an answer that the platform gives only once.

        Also if the post was deleted: its steps are needed to find out what a call published.
        """

        def work_if_claimed(rows: Connection) -> None:
            if self._before is not None:
                self._before(rows, self._post_id)
            holder = rows.execute(_HOLDER, {"post": self._post_id}).one_or_none()
            if holder is not None and holder.claimed_by != self._claimant:
                raise NotClaimedError
            work(rows)

        await until_written(
            lambda: self._database.write(work_if_claimed),
            "a step could not be stored",
            post_id=str(self._post_id),
        )
