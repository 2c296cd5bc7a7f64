"""``/posts``."""

import asyncio
from typing import Annotated, Any, Final
from uuid import UUID

from starlette.responses import Response

from app.contract.enums import Action
from app.contract.pagination import Page
from app.contract.posts import (
    BulkCreatePosts,
    BulkCreateResult,
    CreatePost,
    DeletePostQuery,
    Post,
    PostAnalytics,
    PostDeleteResult,
    PostListQuery,
    ReschedulePost,
)
from app.service.accounts.accounts import Principal
from app.service.analytics.samples import of_post
from app.service.api.context import ServiceDep, calling
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.posts.creating import BODY_BYTES_MAX, BulkCreation, Creation
from app.service.posts.handling import handle_creation, handle_deletion, handle_reschedule
from app.service.posts.rows import POST_COLUMNS, find_post
from app.service.store.tables import posts

router = Router(prefix="/posts", tag="posts")

PostId = Annotated[UUID, Depends(PathId("post_id", "post"))]

POSTS: Final = Listing(posts, POST_COLUMNS, filters=(posts.c.status, posts.c.platform, posts.c.batch_id))
REPLAY: dict[int, dict[str, Any]] = {
    200: {"description": "An earlier call with the same idempotency key created this post."},
    404: {},
}


@router.post("", response_model=Post, status_code=201, responses=REPLAY)
async def create_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_CREATE))],
    body: Annotated[CreatePost, Depends(JsonBody(CreatePost))],
) -> Response:
    """Schedule a post, or publish it immediately if no time is given."""
    unreachable = service.connections.unreachable
    creation = Creation(principal.account_id, body, service.clock(), unreachable, new_id=service.new_id)
    return await handle_creation(service, principal.caller, creation)


@router.get("", response_model=Page[Post], status_code=200)
async def list_posts(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_LIST))],
    query: Annotated[PostListQuery, Depends(Query(PostListQuery))],
) -> Response:
    """List posts, newest first."""
    filters = {"status": query.status, "platform": query.platform, "batch_id": query.batch_id}
    return await POSTS.answer(service, principal.account_id, query, **filters)


@router.post("/bulk", response_model=BulkCreateResult, status_code=200)
async def create_posts(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_BULK))],
    body: Annotated[BulkCreatePosts, Depends(JsonBody(BulkCreatePosts, bytes_max=BODY_BYTES_MAX))],
) -> Response:
    """Create up to 30 posts in one call.

    Each item is validated and stored separately. All posts get the same new batch ID.
    """
    creation = await asyncio.to_thread(
        BulkCreation,
        principal.account_id,
        body.posts,
        service.clock(),
        service.connections.unreachable,
        new_id=service.new_id,
    )
    await service.database.read(creation.check_accounts)
    await asyncio.to_thread(creation.check_texts)
    result = await service.write(principal.caller, creation.store)
    if result.inserted:
        service.notify()
    return answer(result)


@router.get("/{post_id}", response_model=Post, status_code=200)
async def get_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_GET))],
    post_id: PostId,
) -> Response:
    """Get a post."""
    return answer(await service.database.read(lambda rows: find_post(rows, principal.account_id, post_id)))


@router.patch("/{post_id}", response_model=Post, status_code=200)
async def reschedule_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_RESCHEDULE))],
    post_id: PostId,
    body: Annotated[ReschedulePost, Depends(JsonBody(ReschedulePost))],
) -> Response:
    """Reschedule a post. This also resumes a cancelled one."""
    return await handle_reschedule(service, principal.caller, post_id, body.scheduled_at)


@router.delete("/{post_id}", response_model=PostDeleteResult, status_code=200)
async def delete_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_DELETE))],
    post_id: PostId,
    query: Annotated[DeletePostQuery, Depends(Query(DeletePostQuery))],
) -> Response:
    """Cancel a post, or delete it permanently."""
    return await handle_deletion(service, principal.caller, post_id, hard=query.hard)


@router.get("/{post_id}/analytics", response_model=PostAnalytics, status_code=200)
async def get_post_analytics(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_ANALYTICS))],
    post_id: PostId,
) -> Response:
    """Get the daily metrics of a published post, newest day first."""
    return answer(await service.database.read(lambda rows: of_post(rows, principal.account_id, post_id)))
