"""TikTok's options for a creator, cached, and the choices stored for posts, files and accounts."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, and_, bindparam, select, update

from app.contract.enums import ConnectionPlatform, ErrorCode, PostingPlatform
from app.contract.tiktok import (
    CHOICES_MAX,
    NewTikTokChoice,
    SetTikTokAccount,
    TikTokAccount,
    TikTokChoice,
    TikTokCreator,
)
from app.database import Database, is_one_of
from app.platforms.adapters import CreatorAdapter
from app.platforms.base import FailureKind, PlatformError
from app.service import inbox
from app.service.api.responses import ApiError, invalid, not_found
from app.service.connections.platforms import AuthorizationEndedError, Platforms, Tokens, authorized
from app.service.connections.rows import find_connection
from app.service.media.rows import PENDING
from app.service.posts.rows import find_post
from app.service.store.tables import connections, media, posts

# A new post copies its file's choice, so a later change for the next post with that file doesn't affect it.
UNDECIDED_MAX: Final = 1_000

Kept = Mapping[str, Any] | None
"""A file's stored choices by connection id."""


def file_choice(rows: Connection, storage_path: str, connection_id: UUID) -> Any:
    """Return a file's stored choice for an account, or None."""
    kept = rows.scalar(select(media.c.tiktok).where(media.c.storage_path == storage_path))
    return (kept or {}).get(str(connection_id))


def choice_of_post(rows: Connection, post_id: UUID) -> TikTokChoice | None:
    """Return the choice a post is published with; None if it has none or doesn't exist."""
    row = rows.execute(_CHOICES_OF_POST, {"post": post_id}).first()
    return None if row is None else read_choice(_effective(row))


def undecided(rows: Connection, account_id: UUID) -> list[UUID]:
    """Pending TikTok posts without any choice, earliest first; at most ``UNDECIDED_MAX``."""
    found = rows.execute(
        _CHOICES.where(
            posts.c.account_id == account_id,
            is_one_of(posts.c.status, PENDING),
            posts.c.tiktok.is_(None),
            connections.c.tiktok.is_(None),
            ~inbox.goes_to_inbox(),  # TikTok asks there
            ~posts.c.by_hand,
        )
        .order_by(posts.c.scheduled_at, posts.c.id)
        .limit(UNDECIDED_MAX)
    )
    return [row.id for row in found if _effective(row) is None]


_FILE = and_(media.c.storage_path == posts.c.media_storage_path, media.c.account_id == posts.c.account_id)
_CHOICES: Final = (
    select(
        posts.c.id,
        posts.c.connection_id,
        posts.c.tiktok.label("own"),
        media.c.tiktok.label("of_file"),
        connections.c.tiktok.label("of_account"),
    )
    .join(connections, connections.c.id == posts.c.connection_id)
    .outerjoin(media, _FILE)
    .where(posts.c.platform == PostingPlatform.TIKTOK.value)
)
"""TikTok posts with their own, their file's and their account's choice."""
_CHOICES_OF_POST: Final = _CHOICES.where(posts.c.id == bindparam("post"))


def _effective(row: Any) -> Any:
    return row.own or (row.of_file or {}).get(str(row.connection_id)) or row.of_account


def read_choice(kept: Any) -> TikTokChoice | None:
    return None if kept is None else TikTokChoice.model_validate(kept)


_FRESH_S: Final = 60.0
"""How long a response is reused, in s: TikTok allows 20 requests a minute per account."""
_ANSWERS_MAX: Final = 500
_PATIENCE_S: Final = 30.0
_ENDED: Final = "TikTok no longer accepts this account's sign-in. Open reauth_url to allow it again."
_SILENT: Final = "TikTok didn't respond properly. Try again in a moment."


def with_choices(
    rows: Connection, account_id: UUID, kept: Kept, changes: Mapping[UUID, NewTikTokChoice | None]
) -> Kept:
    """Return a file's choices after adding, replacing or removing some.

    Raises ApiError: 404 for unknown accounts, 400 for accounts that aren't on TikTok.
    """
    choices = dict(kept or {})
    for connection_id, choice in changes.items():
        require_tiktok(rows, account_id, connection_id, f"tiktok.{connection_id}")
        choices.pop(str(connection_id), None)
        if choice is not None:
            choices[str(connection_id)] = as_kept(choice)
    if len(choices) > CHOICES_MAX:
        raise invalid("tiktok", f"must hold at most {CHOICES_MAX} accounts", "too_many")
    return choices or None


def as_kept(choice: NewTikTokChoice | None) -> Any:
    """Return a choice in the form it's stored in."""
    return None if choice is None else choice.choice.model_dump(mode="json")


def require_tiktok(rows: Connection, account_id: UUID, connection_id: UUID, field: str = "id") -> None:
    """Check that the account has this TikTok connection. Raises ApiError: 404, or 400 if not on TikTok."""
    if find_connection(rows, account_id, connection_id).platform is not ConnectionPlatform.TIKTOK:
        raise invalid(field, "isn't a TikTok account", "not_tiktok")


def account_settings(rows: Connection, account_id: UUID, connection_id: UUID) -> TikTokAccount:
    """Return the default choice for an account's posts, and where they go. Raises ApiError."""
    require_tiktok(rows, account_id, connection_id)
    kept = rows.scalar(select(connections.c.tiktok).where(connections.c.id == connection_id))
    return TikTokAccount(
        choice=read_choice(kept),
        inbox=inbox.is_to_inbox(rows, connection_id),
        is_fixed=inbox.restriction(rows, connection_id) is not None,
    )


def set_account(
    rows: Connection, account_id: UUID, connection_id: UUID, wanted: SetTikTokAccount
) -> TikTokAccount:
    """Store the settings that are given for an account's posts. Raises ApiError."""
    require_tiktok(rows, account_id, connection_id)
    if "choice" in wanted.model_fields_set:
        changed = update(connections).where(connections.c.id == connection_id)
        rows.execute(changed.values(tiktok=as_kept(wanted.choice)))
    if "inbox" in wanted.model_fields_set:
        inbox.choose(rows, connection_id, wanted.inbox)
    return account_settings(rows, account_id, connection_id)


def require_post(rows: Connection, account_id: UUID, post_id: UUID) -> None:
    """Check that the account has this TikTok post. Raises ApiError (404)."""
    if find_post(rows, account_id, post_id).platform is not PostingPlatform.TIKTOK:
        raise not_found("TikTok post")


class Creators:
    """TikTok's options by account, cached."""

    def __init__(self, database: Database, platforms: Platforms, tokens: Tokens) -> None:
        self._database = database
        self._platforms = platforms
        self._tokens = tokens
        self._answers: OrderedDict[UUID, tuple[float, TikTokCreator]] = OrderedDict()
        self._asking: dict[UUID, asyncio.Task[TikTokCreator]] = {}

    async def creator(self, account_id: UUID, connection_id: UUID) -> TikTokCreator:
        """Return an account's current options. Concurrent callers share one request to TikTok.

        Raises:
            ApiError: 404 for an unknown connection; 400 if it isn't on TikTok, or TikTok doesn't let the
                account post; 500 if TikTok doesn't respond.
            AuthorizationEndedError: The account is, or has just become, unavailable.
        """
        await self._database.read(lambda rows: require_tiktok(rows, account_id, connection_id))
        known = self._answers.get(connection_id)
        if known is not None and time.monotonic() - known[0] < _FRESH_S:
            return known[1]
        try:
            return await self._ask_once(connection_id)
        except PlatformError as error:
            raise _refusal(error) from error

    async def _ask_once(self, connection_id: UUID) -> TikTokCreator:
        asking = self._asking.get(connection_id)
        if asking is None:
            asking = asyncio.create_task(self._ask(connection_id))
            self._asking[connection_id] = asking
            asking.add_done_callback(lambda _done: self._asking.pop(connection_id, None))
        return await asyncio.shield(asking)  # cancelling one caller doesn't affect the others

    async def _ask(self, connection_id: UUID) -> TikTokCreator:
        adapter = await self._platforms.adapter(ConnectionPlatform.TIKTOK)
        if not isinstance(adapter, CreatorAdapter):
            raise PlatformError(FailureKind.TRANSIENT, "unsupported", _SILENT)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                token = await self._tokens.access_token(connection_id)
                found = await authorized(self._tokens, connection_id, token, adapter.creator)
        except TimeoutError:
            raise PlatformError(FailureKind.TRANSIENT, "timeout", _SILENT) from None
        self._answers[connection_id] = time.monotonic(), found
        self._answers.move_to_end(connection_id)
        while len(self._answers) > _ANSWERS_MAX:
            self._answers.popitem(last=False)
        return found


def _refusal(error: PlatformError) -> Exception:
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            return AuthorizationEndedError(_ENDED)
        case FailureKind.PERMISSION | FailureKind.INVALID:
            return invalid("id", f"can't post now: TikTok says: {error.message}", "permission")
        case FailureKind.QUOTA:
            words = "This account has used up what TikTok allows for now. Try again later."
        case FailureKind.RATE_LIMITED:
            words = "TikTok asked to slow down. Try again in a minute."
        case _:
            words = _SILENT
    return ApiError(ErrorCode.INTERNAL_ERROR, words)
