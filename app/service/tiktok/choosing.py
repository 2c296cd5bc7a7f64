"""Choosing for TikTok, for a file or an account: what may be chosen, and for whom."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select, update

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.tiktok import CHOICES_MAX, NewTikTokChoice, TikTokChoice
from app.service.api.errors import invalid, not_found
from app.service.connections.rows import find_connection
from app.service.posts.rows import find_post
from app.service.store.tables import connections
from app.service.tiktok.choices import Kept, read_choice


def with_choices(
    rows: Connection, account_id: UUID, kept: Kept, told: Mapping[UUID, NewTikTokChoice | None]
) -> Kept:
    """A file's choices after some were made or taken away.

    Raises ApiError: 404 for accounts that there aren't, 400 for those that aren't on TikTok.
    """
    choices = dict(kept or {})
    for connection_id, choice in told.items():
        require_tiktok(rows, account_id, connection_id, f"tiktok.{connection_id}")
        choices.pop(str(connection_id), None)
        if choice is not None:
            choices[str(connection_id)] = as_kept(choice)
    if len(choices) > CHOICES_MAX:
        raise invalid("tiktok", f"must hold at most {CHOICES_MAX} accounts", "too_many")
    return choices or None


def as_kept(choice: NewTikTokChoice | None) -> Any:
    """A choice as rows keep it."""
    return None if choice is None else choice.choice.model_dump(mode="json")


def require_tiktok(rows: Connection, account_id: UUID, connection_id: UUID, field: str = "id") -> None:
    """Raises ApiError: 404 when the account has no such connection, 400 when it isn't on TikTok."""
    if find_connection(rows, account_id, connection_id).platform is not ConnectionPlatform.TIKTOK:
        raise invalid(field, "isn't a TikTok account", "not_tiktok")


def account_choice(rows: Connection, account_id: UUID, connection_id: UUID) -> TikTokChoice | None:
    """The choice for posts of an account that have none of their own. Raises ApiError."""
    require_tiktok(rows, account_id, connection_id)
    return read_choice(rows.scalar(select(connections.c.tiktok).where(connections.c.id == connection_id)))


def choose_for_account(
    rows: Connection, account_id: UUID, connection_id: UUID, choice: NewTikTokChoice | None
) -> TikTokChoice | None:
    """Keeps the choice for an account. Raises ApiError."""
    require_tiktok(rows, account_id, connection_id)
    rows.execute(update(connections).where(connections.c.id == connection_id).values(tiktok=as_kept(choice)))
    return choice.choice if choice else None


def require_post(rows: Connection, account_id: UUID, post_id: UUID) -> None:
    """Raises ApiError (404) when the account has no such post to TikTok."""
    if find_post(rows, account_id, post_id).platform is not PostingPlatform.TIKTOK:
        raise not_found("TikTok post")
