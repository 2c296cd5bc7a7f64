"""Posts between table, wire and calendar; reads stored rows, in threads."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from app.contract.companion import AnyPost
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.posts import Post
from app.workspace.clock import to_millis
from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.outbox.unanswered import LateCall, Unanswered
from app.workspace.posts.planned import PlannedPost, draft_key, draft_of, headline
from app.workspace.store import first
from app.workspace.store.first import PIECE
from app.workspace.store.tables import late_calls, posts, undo_steps
from app.workspace.undo import Doing, Edit, Label, Step


@dataclass(frozen=True, slots=True)
class PostRow:
    """One row of ``posts``, column by column.

    ``board_id``, ``board_name`` and ``link`` are a pin's, and ``tiktok`` is a choice for TikTok as JSON. The
    service never returns them, so None means unknown, and "" means none. ``options`` are those of a companion
    network as JSON; services older than the app may not return them.
    """

    key: str
    service_id: str | None
    account_key: str
    platform: str
    post_type: str
    status: str
    title: str | None
    description: str | None
    at: int
    posted_at: datetime | None
    media_storage_path: str
    batch_id: str | None
    created_at: datetime
    reason: str = ""
    may_be_live: bool = False
    immediate: bool = False
    idempotency_key: str | None = None
    board_id: str | None = None
    board_name: str | None = None
    link: str | None = None
    tiktok: str | None = None
    options: str | None = None
    by_hand: bool = False

    @classmethod
    def of(cls, key: str, post: Post, planned: PlannedPost, idempotency_key: str | None = None) -> "PostRow":
        """Return the row of a post from the service; ``planned`` adds what only the app knows."""
        return cls(
            key=key,
            service_id=str(post.id),
            account_key=planned.account_key,
            platform=post.platform.value,
            post_type=post.post_type.value,
            status=post.status.value,
            title=post.title,
            description=post.description,
            at=planned.at,
            posted_at=post.posted_at,
            media_storage_path=post.media_storage_path,
            batch_id=post.batch_id,
            created_at=post.created_at,
            reason=planned.reason,
            may_be_live=planned.may_be_live,
            idempotency_key=idempotency_key,
            options=_options_of(post),
            by_hand=planned.by_hand,
        )

    @property
    def draft(self) -> str:
        """The ID of the draft that it was scheduled from here; empty if unknown."""
        return draft_of(self.idempotency_key, self.account_key)

    def values(self) -> dict[str, Any]:
        """Return the columns' values."""
        return {**asdict(self), "headline": headline(self.title, self.description)}

    def planned(self) -> PlannedPost:
        """Return the post as the calendar shows it."""
        return PlannedPost(
            key=self.key,
            at=self.at,
            account_key=self.account_key,
            platform=PostingPlatform(self.platform),
            post_type=PostType(self.post_type),
            status=PostStatus(self.status),
            headline=headline(self.title, self.description),
            reason=self.reason,
            may_be_live=self.may_be_live,
            published=self.posted_at is not None,
            batch_id=self.batch_id,
            media=self.media_storage_path,
            draft=self.draft,
            by_hand=self.by_hand,
        )


def _options_of(post: Post) -> str | None:
    """Return the options as JSON, None if the service's answer has no such field."""
    if not isinstance(post, AnyPost) or "options" not in post.model_fields_set:
        return None
    return post.options.model_dump_json(exclude_none=True) if post.options else ""


def _is_by_hand(post: Post, before: PlannedPost | None) -> bool:
    """Whether the user publishes a post; the specified API's answers don't say, so it's as before."""
    if isinstance(post, AnyPost) and "by_hand" in post.model_fields_set:
        return post.by_hand
    return before is not None and before.by_hand


def planned_from(key: str, post: Post, before: PlannedPost | None) -> PlannedPost:
    """Return a post of the service as the calendar shows it; a reason stays while the status does."""
    same = before is not None and before.status is post.status
    return PlannedPost(
        key=key,
        at=to_millis(post.scheduled_at),
        account_key=str(post.social_account_id),
        platform=post.platform,
        post_type=post.post_type,
        status=post.status,
        headline=headline(post.title, post.description),
        reason=before.reason if before and same else "",
        may_be_live=before.may_be_live if before and same else False,
        published=post.posted_at is not None,
        batch_id=post.batch_id,
        media=post.media_storage_path,
        draft=before.draft if before else "",
        by_hand=_is_by_hand(post, before),
    )


def post_rows(connection: Connection, keys: Collection[str]) -> list[PostRow]:
    """Return whole rows."""
    return [row for key in keys if (row := post_row(connection, key))]


def post_row(connection: Connection, key: str) -> PostRow | None:
    columns = [posts.c[field.name] for field in fields(PostRow)]
    row = connection.execute(select(*columns).where(posts.c.key == key)).one_or_none()
    return PostRow(*row) if row else None


def texts(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """Return the whole texts of some posts, by key."""
    found = connection.execute(select(posts.c.key, posts.c.description).where(posts.c.key.in_(keys)))
    return {key: text or "" for key, text in found}


def posts_planned_here(connection: Connection, keys: Sequence[str]) -> Iterator[PostRow]:
    """Return the rows of those posts that were planned in this app, not in another program."""
    columns = [posts.c[field.name] for field in fields(PostRow)]
    for start in range(0, len(keys), PIECE):
        piece = posts.c.key.in_(keys[start : start + PIECE])
        found = connection.execute(select(*columns).where(piece, posts.c.idempotency_key.is_not(None)))
        yield from (PostRow(*row) for row in found.all())


def has_idempotency_key(connection: Connection, idempotency_key: str) -> bool:
    """Whether a post was scheduled with this idempotency key."""
    return (
        connection.scalar(select(posts.c.key).where(posts.c.idempotency_key == idempotency_key)) is not None
    )


def is_scheduled(connection: Connection, draft_id: str) -> bool:
    """Whether a post was scheduled from a draft."""
    begins = posts.c.idempotency_key.startswith(draft_key(draft_id, ""), autoescape=True)
    return connection.scalar(select(posts.c.key).where(begins).limit(1)) is not None


def intentions(connection: Connection, keys: Collection[str]) -> list[Intention]:
    """Return the intentions of some posts."""
    return [wish for wish in first.intentions(connection.exec_driver_sql) if wish.key in keys]


def unanswered(connection: Connection) -> list[Unanswered]:
    """Return all calls that may still be carried out."""
    return [
        Unanswered(
            row.key,
            Wanted(row.at, row.cancelled),
            tuple(LateCall(Wanted(at, cancelled), until) for at, cancelled, until in json.loads(row.calls)),
        )
        for row in connection.execute(select(late_calls))
    ]


def steps(connection: Connection) -> list[tuple[Step, bool]]:
    """Return the undo history, oldest first, with whether each step is done."""
    rows = connection.execute(select(undo_steps).order_by(undo_steps.c.id))
    return [(Step(row.id, _label(row), tuple(_edits(row)), row.made_at), row.done) for row in rows]


def _label(row: Row[Any]) -> Label:
    return Label(Doing(row.doing), row.number) if row.doing else Label(None, words=row.label)


def _edits(row: Row[Any]) -> Iterator[Edit]:
    for key, before_at, before_cancelled, after_at, after_cancelled in json.loads(row.edits):
        yield Edit(key, Wanted(before_at, before_cancelled), Wanted(after_at, after_cancelled))
