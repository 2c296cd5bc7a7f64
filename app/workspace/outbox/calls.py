"""The next call for an intention."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.client import NotFound, PublishingCalls, ServiceClient
from app.contract.companion import CreateAnyPost, CreatePlacePost
from app.contract.enums import DeleteAction
from app.contract.posts import CreatePost, Post
from app.platforms.cards import COMPANION_NETWORKS
from app.workspace.clock import from_millis
from app.workspace.editing.options import read_options
from app.workspace.outbox.intention import Intention
from app.workspace.store.loading import PostRow
from app.workspace.tiktok import read_choice

_ALWAYS = frozenset({"description", "idempotency_key"})


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a call: the current post, ``cancelled``, or ``gone`` for good."""

    post: Post | None = None
    cancelled: bool = False
    gone: bool = False


def create_body(row: PostRow, at: int) -> CreatePost:
    """Return the body of the create call. Raises pydantic's ValidationError if the contract forbids it."""
    values: dict[str, Any] = {
        "social_account_id": row.account_key,
        "platform": row.platform,
        "post_type": row.post_type,
        "description": row.description,
        "title": row.title,
        "media_storage_path": row.media_storage_path or None,
        "scheduled_at": None if row.immediate else from_millis(at),
        "idempotency_key": row.idempotency_key,
        "pinterest_board_id": row.board_id or None,
        "pinterest_board_name": row.board_name or None,
        "pinterest_link": row.link or None,
    }
    given = {name: value for name, value in values.items() if value is not None or name in _ALWAYS}
    if row.by_hand:
        return CreateAnyPost.model_validate(given | {"by_hand": True}, strict=False)
    if row.platform not in COMPANION_NETWORKS:
        return CreatePost.model_validate(given, strict=False)
    if options := read_options(row.options):
        given["options"] = options.model_dump(exclude_none=True)
    return CreatePlacePost.model_validate(given, strict=False)


async def create(calls: PublishingCalls, row: PostRow, at: int) -> Answered:
    """Create a post. Calls are counted, because a repeated call may return a later state."""
    return Answered(post=await calls.create_post(create_body(row, at), once=True))


async def choose(client: ServiceClient, row: PostRow) -> None:
    """Send the choice for TikTok, which applies to posts created afterwards.

    Raises ClientError if it isn't stored. The post must not be created then: it would have the account's
    audience instead of the chosen one.
    """
    choice = read_choice(row.tiktok)
    if choice is None or not row.media_storage_path:
        return
    await client.media.choose_for_tiktok(row.media_storage_path, UUID(row.account_key), choice)


async def change(calls: PublishingCalls, service_id: UUID, intention: Intention) -> Answered:
    """Move, resume or cancel a post that the service has. Calls are counted, so each is made once."""
    if not intention.wanted.cancelled:
        at = from_millis(intention.wanted.at)
        return Answered(post=await calls.reschedule_post(service_id, at, once=True))
    try:
        done = await calls.delete_post(service_id, once=True)
    except NotFound:
        return Answered(gone=True)
    return Answered(cancelled=True, gone=done.action is DeleteAction.DELETED)


async def look_up(calls: PublishingCalls, service_id: UUID) -> Answered:
    """Request the current post."""
    try:
        return Answered(post=await calls.get_post(service_id))
    except NotFound:
        return Answered(gone=True)
