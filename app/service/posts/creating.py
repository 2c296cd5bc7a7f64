"""Creating posts: once per idempotency key, and only if the platform will accept them.

In a bulk call, each post is accepted or rejected separately, and all of them share a batch.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import ValidationError
from pydantic_core import to_json
from sqlalchemy import Connection, bindparam, insert, select

from app.contract.companion import CreateAnyPost, CreatePlacePost, PlacePost
from app.contract.enums import CreatedVia, EventType, PostingPlatform, PostStatus, PostType
from app.contract.errors import ValidationDetails, ValidationIssue
from app.contract.places import PlaceLimits, PlaceOptions
from app.contract.posts import BulkCreateResult, CreatePost, Post
from app.contract.webhooks import PostEventData
from app.platforms import rules
from app.platforms.cards import CARDS, by_hand_key, offers_by_hand
from app.service import inbox
from app.service.api.responses import ApiError, from_pydantic, invalid, invalid_fields, not_found
from app.service.media import rows
from app.service.posts.rows import find_post
from app.service.store.reach import Reach
from app.service.store.tables import connections, idempotency_keys, posts
from app.service.tiktok import file_choice
from app.service.webhooks.events import record

Unreachable = Mapping[PostingPlatform, Collection[PostType]]
"""Post types, by platform, whose files would need a public address that this service doesn't have."""

BODY_BYTES_MAX: Final = 4 * 1024 * 1024
"""Fits the most and longest posts that the contract allows, with every character escaped."""


@dataclass(frozen=True, slots=True)
class Created:
    """The stored post. ``replayed`` means that an earlier call with the same idempotency key stored it."""

    post: Post
    replayed: bool


class Creation:
    """One create call: looks up the account, checks the text, then stores the post.

    Checking a text takes several milliseconds, too long for the event loop or a write transaction.
    """

    def __init__(
        self,
        account_id: UUID,
        body: CreatePost,
        now: datetime,
        unreachable: Unreachable,
        *,
        batch_id: str | None = None,
        new_id: Callable[[], UUID] = uuid4,
        reach: Reach = Reach.SPECIFIED,
        limits: PlaceLimits | None = None,
    ) -> None:
        """``batch_id`` overrides the body's; ``new_id`` returns the post's id.

        ``limits`` are those of the account's server, on a companion network.
        """
        self._account_id = account_id
        self._body = body
        self._now = now
        self._batch_id = body.batch_id if batch_id is None else batch_id
        self._unreachable = unreachable
        self._new_id = new_id
        self._reach = reach
        self._limits = limits

    @cached_property
    def issues(self) -> Sequence[ValidationIssue]:
        """Problems with the body. Replays ignore them, in case the rules have changed."""
        if self._is_by_hand and not offers_by_hand(self._body.platform):
            found: Sequence[ValidationIssue] = [not_offered(self._body.platform)]
        else:
            found = self._rule_issues()
        return [*_time_issues(self._body, self._now), *found]

    @property
    def _options(self) -> PlaceOptions | None:
        """The post's options; None without any, and on platforms of the specification."""
        chosen = self._body.options if isinstance(self._body, CreatePlacePost) else None
        return None if chosen is None else chosen.options

    @property
    def _is_by_hand(self) -> bool:
        return isinstance(self._body, CreateAnyPost) and self._body.by_hand

    @property
    def _ruled_by(self) -> PostingPlatform:
        """The platform whose rules apply. By hand, limits of a platform's API don't."""
        platform = self._body.platform
        return PostingPlatform((self._is_by_hand and by_hand_key(platform)) or platform)

    def _rule_issues(self) -> Sequence[ValidationIssue]:
        body, platform = self._body, self._ruled_by
        found = rules.check(
            platform=platform,
            post_type=body.post_type,
            title=body.title,
            text=body.description,
            has_media=bool(body.media_storage_path),
            board_id=body.pinterest_board_id,
            unreachable=self._unreachable.get(platform, ()),
            limits=self._limits,
            options=self._options,
        )
        return as_issues(found)

    def check_account(self, connection: Connection) -> None:
        """Raise ApiError if the social account can't be used, unless this is a replay."""
        if self._earlier(connection) is None:
            self._check_account(connection)

    def store(self, connection: Connection) -> Created:
        """Store the post, or return the one stored by an earlier call.

        Raises ApiError, having written nothing: 400 with the invalid fields, 403 or 404 for objects of other
        accounts.
        """
        if (earlier := self._earlier(connection)) is not None:
            return Created(earlier, replayed=True)
        self._check_account(connection)
        when, whose = self._body.scheduled_at or self._now, self._body.social_account_id
        full = inbox.full_issues(connection, whose, when) if CARDS[self._ruled_by].inbox else ()
        if issues := [*self.issues, *self._file_issues(connection), *full]:
            raise invalid_fields(issues)
        row = self._insert(connection)
        model = Post if self._reach is Reach.SPECIFIED else PlacePost
        post = model.model_validate({**row, "social_account_id": row["connection_id"]})
        if post.status is PostStatus.SCHEDULED:
            record(connection, self._account_id, EventType.POST_SCHEDULED, _event_data(post), self._now)
        return Created(post, replayed=False)

    def _earlier(self, connection: Connection) -> Post | None:
        if self._body.idempotency_key is None:
            return None
        key = {
            "account_id": self._account_id,
            "idempotency_key": self._stored_key(self._body.idempotency_key),
        }
        used = connection.execute(_USED_KEY, key).one_or_none()
        if used is None:
            return None
        if used.request_hash not in (content_hash(self._body), _content_hash_with_batch(self._body)):
            raise _used("was already used for a post with other content")
        try:
            return find_post(connection, self._account_id, used.post_id, self._reach)
        except ApiError:
            raise _used("was used for a post that has been deleted since") from None

    def _stored_key(self, key: str) -> str:
        """Return the key as it's stored.

        Keys of companion networks have a line break, which no caller's key has, so v1 never meets one.
        """
        if self._reach is not Reach.COMPANION:
            return key
        return f"companion\n{hashlib.sha256(key.encode()).hexdigest()}"

    def _check_account(self, connection: Connection) -> None:
        body = self._body
        account = connection.execute(
            _SOCIAL_ACCOUNT[self._reach],
            {"account_id": self._account_id, "connection_id": body.social_account_id},
        ).one_or_none()
        if account is None:
            raise not_found("social account")
        if account.platform != body.platform:
            raise invalid("platform", f"must match the account, which is on {account.platform}", "mismatch")
        if body.scheduled_at is None and not account.is_available and not self._is_by_hand:
            raise invalid(
                "social_account_id",
                "must be authorized again before anything can be published immediately",
                "account_unavailable",
            )

    def _file_issues(self, connection: Connection) -> Sequence[ValidationIssue]:
        """Problems with the file. Its pixels and length are known shortly after the upload."""
        path, wanted = self._body.media_storage_path, self._body.post_type
        if not path:
            return []
        file = rows.stored_file(connection, self._account_id, path)
        if file is None:
            raise invalid("media_storage_path", "isn't the path of an uploaded file", "media_missing")
        if wanted is PostType.TEXT:
            return []
        if file.kind is not wanted:
            there = file.kind.value
            message = f"must be the {wanted.value} to publish, but the file is of type {there}"
            raise invalid("media_storage_path", message, "wrong_kind")
        return as_issues(rules.check_file(self._ruled_by, wanted, file.facts, self._limits))

    def _choice(self, connection: Connection) -> Any:
        """Return the file's TikTok choice, or None."""
        path = self._body.media_storage_path
        if self._body.platform is not PostingPlatform.TIKTOK or not path:
            return None
        return file_choice(connection, path, self._body.social_account_id)

    def _insert(self, connection: Connection) -> dict[str, Any]:
        """Store the post and return its row."""
        body, at_once = self._body, self._body.scheduled_at is None
        row = {
            "id": self._new_id(),
            "account_id": self._account_id,
            "connection_id": body.social_account_id,
            "platform": body.platform.value,
            "post_type": body.post_type.value,
            "status": (PostStatus.QUEUED if at_once else PostStatus.SCHEDULED).value,
            "title": body.title,
            "description": body.description,
            "scheduled_at": body.scheduled_at or self._now,
            "posted_at": None,
            "media_storage_path": body.media_storage_path or "",
            "batch_id": self._batch_id,
            "pinterest_board_id": body.pinterest_board_id,
            "pinterest_board_name": body.pinterest_board_name,
            "pinterest_link": body.pinterest_link,
            "tiktok": self._choice(connection),
            "by_hand": self._is_by_hand,
            "options": self._options.model_dump(mode="json") if self._options else None,
            "created_via": CreatedVia.REST.value,
            "created_at": self._now,
        }
        connection.execute(_NEW_POST, row)
        if body.idempotency_key is not None:
            key = {
                "account_id": self._account_id,
                "idempotency_key": self._stored_key(body.idempotency_key),
                "request_hash": content_hash(body),
                "post_id": row["id"],
                "created_at": self._now,
            }
            connection.execute(_NEW_KEY, key)
        return row


_USED_KEY = select(idempotency_keys.c.request_hash, idempotency_keys.c.post_id).where(
    idempotency_keys.c.account_id == bindparam("account_id"),
    idempotency_keys.c.idempotency_key == bindparam("idempotency_key"),
)
_SOCIAL_ACCOUNT = {
    reach: select(connections.c.platform, connections.c.is_available).where(
        connections.c.id == bindparam("connection_id"),
        connections.c.account_id == bindparam("account_id"),
        reach.takes(connections.c.platform),
    )
    for reach in Reach
}
_NEW_POST = insert(posts)
_NEW_KEY = insert(idempotency_keys)


def content_hash(body: CreatePost) -> str:
    """Hash what calls with the same idempotency key must agree on: content and time.

    Ignores the batch, so that one item of a bulk call can be retried separately.
    """
    return _hash_without(body, {"idempotency_key", "batch_id"})


def _content_hash_with_batch(body: CreatePost) -> str:
    """The hash stored by versions before 2026-11-23. Delete this when their keys have expired."""
    return _hash_without(body, {"idempotency_key"})


def _hash_without(body: CreatePost, left_out: set[str]) -> str:
    return hashlib.sha256(body.model_dump_json(exclude=left_out).encode()).hexdigest()


def _event_data(post: Post) -> PostEventData:
    return PostEventData(
        post_id=post.id,
        platform=post.platform,
        social_account_id=post.social_account_id,
        batch_id=post.batch_id,
    )


def _time_issues(body: CreatePost, now: datetime) -> Sequence[ValidationIssue]:
    if body.scheduled_at is None or body.scheduled_at > now:
        return []
    return [ValidationIssue(field="scheduled_at", message="must be in the future", type="time_past")]


def not_offered(platform: PostingPlatform) -> ValidationIssue:
    """Return the issue of a post that nobody can publish by hand, or that's published by hand anyway."""
    return ValidationIssue(
        field="by_hand", message=f"isn't possible for posts on {platform}", type="not_offered"
    )


def as_issues(found: Iterable[rules.RuleIssue]) -> Sequence[ValidationIssue]:
    """Convert broken rules to issues of a request."""
    return [ValidationIssue(field=one.field, message=one.message, type=one.type) for one in found]


def _used(how: str) -> ApiError:
    return invalid("idempotency_key", how, "idempotency_conflict")


class BulkCreation:
    """One bulk call: reads and checks the items, then stores them in one write transaction.

    All posts get the same new batch id. Items without an idempotency key get one from the batch id and their
    index.
    """

    def __init__(
        self,
        account_id: UUID,
        items: Sequence[Mapping[str, Any]],
        now: datetime,
        unreachable: Unreachable,
        *,
        new_id: Callable[[], UUID] = uuid4,
    ) -> None:
        """``new_id`` returns the ids of the batch and its posts."""
        self._account_id = account_id
        self._now = now
        self._unreachable = unreachable
        self._new_id = new_id
        self._batch_id = new_id()
        self._read = [self._read_item(index, item) for index, item in enumerate(items)]

    def check_accounts(self, connection: Connection) -> None:
        """Reject items whose social account can't be used."""
        for index, item in enumerate(self._read):
            try:
                if isinstance(item, Creation):
                    item.check_account(connection)
            except ApiError as error:
                self._read[index] = error.with_traceback(None)  # it would keep the whole batch in memory

    def check_texts(self) -> None:
        """Check the texts of the remaining items. Takes up to a few tenths of a second."""
        for item in self._read:
            if isinstance(item, Creation):
                _ = item.issues

    def store(self, connection: Connection) -> BulkCreateResult:
        """Store the valid items and report the others."""
        inserted: list[Post] = []
        rejected: list[dict[str, Any]] = []
        for index, item in enumerate(self._read):
            if isinstance(item, ApiError):
                rejected.append(_rejection(index, item))
                continue
            try:
                created = item.store(connection)
            except ApiError as error:
                rejected.append(_rejection(index, error))
            else:
                if not created.replayed:
                    inserted.append(created.post)
        return BulkCreateResult(
            success=True,
            batch_id=self._batch_id,
            total=len(self._read),
            inserted=len(inserted),
            duplicates=len(self._read) - len(inserted) - len(rejected),
            rejected=rejected,
            posts=inserted,
        )

    def _read_item(self, index: int, item: Mapping[str, Any]) -> Creation | ApiError:
        try:
            body = CreatePost.model_validate_json(to_json(item))  # as JSON, which has ids as strings
        except ValidationError as error:
            return from_pydantic(error)
        if body.idempotency_key is None:
            body = body.model_copy(update={"idempotency_key": f"{self._batch_id}:{index}"})
        return Creation(
            self._account_id,
            body,
            self._now,
            self._unreachable,
            batch_id=str(self._batch_id),
            new_id=self._new_id,
        )


def _rejection(index: int, error: ApiError) -> dict[str, Any]:
    """Return a rejected item, with fields named as in the call, such as ``posts.3.title``."""
    issues = [_placed(index, issue) for issue in error.details]
    message = invalid_fields(issues).message if issues else error.message
    return {
        "index": index,
        "code": error.code,
        "message": message,
        "details": ValidationDetails(errors=issues).model_dump(),
    }


def _placed(index: int, issue: ValidationIssue) -> ValidationIssue:
    field = f"posts.{index}.{issue.field}" if issue.field else f"posts.{index}"
    return issue.model_copy(update={"field": field})
