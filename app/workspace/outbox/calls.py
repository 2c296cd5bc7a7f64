"""The next call for an intention, and messages about calls that the service refused."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from app.client import NotFound, PublishingCalls, ServiceClient
from app.contract.companion import CreateAnyPost, CreatePlacePost
from app.contract.enums import DeleteAction
from app.contract.posts import CreatePost, Post
from app.language import filled, tr
from app.platforms.cards import COMPANION_NETWORKS
from app.workspace.clock import from_millis
from app.workspace.core import Core
from app.workspace.editing.options import read_options
from app.workspace.messages import Message, MessageAction
from app.workspace.outbox.intention import Intention
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named
from app.workspace.store.loading import PostRow
from app.workspace.tiktok import read_choice

_ALWAYS = frozenset({"description", "idempotency_key"})
What = Literal["planned", "moved", "cancelled"]
_NOT_DONE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled."),
    "moved": tr("{post} wasn't moved."),
    "cancelled": tr("{post} wasn't cancelled."),
}
_NOT_DONE_SINCE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled: {reason}."),
    "moved": tr("{post} wasn't moved: {reason}."),
    "cancelled": tr("{post} wasn't cancelled: {reason}."),
}
_SEVERAL: dict[What, str] = {
    "planned": tr("{n} posts weren't scheduled. {first}"),
    "moved": tr("{n} posts weren't moved. {first}"),
    "cancelled": tr("{n} posts weren't cancelled. {first}"),
}


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


@dataclass(frozen=True, slots=True)
class Refusal:
    """A post, what failed ("moved"), and the reason."""

    post: PlannedPost
    what: What
    reason: str
    details: str

    @property
    def line(self) -> str:
        """Return a sentence with the post and the reason."""
        told = (_NOT_DONE_SINCE if self.reason else _NOT_DONE)[self.what]
        return told.format(post=named(self.post), reason=self.reason)


class Refusals:
    """Collects refusals until nothing is being sent; one message then names the posts and reasons."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._waiting: list[Refusal] = []

    def add(self, refusal: Refusal) -> None:
        """Add a refusal; the message is shown once nothing else is being sent."""
        self._waiting.append(refusal)
        mirror = self._core.mirror
        if mirror.intentions.keys() <= mirror.conflicts:
            self.tell()

    def tell(self) -> None:
        """Show one message for each kind of failed change."""
        waiting, self._waiting = self._waiting, []
        for what in dict.fromkeys(refusal.what for refusal in waiting):
            self._say([refusal for refusal in waiting if refusal.what == what])

    def _say(self, alike: list[Refusal]) -> None:
        first = alike[0]
        action = MessageAction(tr("Show"), "show_post", first.post.key)
        if len(alike) == 1:
            self._core.messages.tell(Message("error", first.line, first.details, action))
            return
        text = filled(_SEVERAL[first.what], n=len(alike), first=first.line)
        details = "\n".join(dict.fromkeys((*(refusal.line for refusal in alike), first.details)))
        self._core.messages.tell(Message("error", text, details, action))
