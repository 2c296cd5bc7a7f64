"""The call that an intention needs next."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.client import Forbidden, NotFound, ServiceClient
from app.contract.enums import DeleteAction
from app.contract.posts import CreatePost, Post
from app.workspace.clock import from_millis
from app.workspace.outbox.intention import Intention
from app.workspace.store.rows import PostRow
from app.workspace.tiktok.choice import read_choice

_ALWAYS = frozenset({"description", "idempotency_key"})


@dataclass(frozen=True, slots=True)
class Answered:
    """What the service made of a call: the post as it is now, ``cancelled``, or ``gone`` for good."""

    post: Post | None = None
    cancelled: bool = False
    gone: bool = False


def create_body(row: PostRow, at: int) -> CreatePost:
    """The body of the create call; raises pydantic's ValidationError for what the contract does not allow."""
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
    return CreatePost.model_validate(given, strict=False)


async def create(client: ServiceClient, row: PostRow, at: int) -> Answered:
    """Creates a post. Calls are counted: the answer to a repeated one may tell what others did meanwhile."""
    return Answered(post=await client.create_post(create_body(row, at), once=True))


async def choose(client: ServiceClient, row: PostRow) -> None:
    """Tells the service what was chosen for TikTok, which a post takes over when it is created.

    A service that knows nothing of choices, or of the file, says what is wrong when the post is created.
    """
    choice = read_choice(row.tiktok)
    if choice is None or not row.media_storage_path:
        return
    with suppress(NotFound, Forbidden):
        await client.media.choose_for_tiktok(row.media_storage_path, UUID(row.account_key), choice)


async def change(client: ServiceClient, service_id: UUID, intention: Intention) -> Answered:
    """Moves, resumes or cancels a post that the service has. Calls are counted, so each is made once."""
    if not intention.wanted.cancelled:
        at = from_millis(intention.wanted.at)
        return Answered(post=await client.reschedule_post(service_id, at, once=True))
    try:
        done = await client.delete_post(service_id, once=True)
    except NotFound:
        return Answered(gone=True)
    return Answered(cancelled=True, gone=done.action is DeleteAction.DELETED)


async def look_up(client: ServiceClient, service_id: UUID) -> Answered:
    """The post as it is now."""
    try:
        return Answered(post=await client.get_post(service_id))
    except NotFound:
        return Answered(gone=True)
