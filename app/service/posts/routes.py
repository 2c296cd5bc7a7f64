"""``/posts``."""

import asyncio
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.contract.enums import Action
from app.contract.pagination import Page
from app.contract.posts import (
    BulkCreatePosts,
    BulkCreateResult,
    CreatePost,
    DeletePostQuery,
    Post,
    PostDeleteResult,
    PostListQuery,
    ReschedulePost,
)
from app.service.accounts.keys import Principal
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.errors import invalid
from app.service.api.pages import read_page
from app.service.api.principal import calling
from app.service.api.requests import JsonBody, PathId, Query
from app.service.posts.bulk import BODY_BYTES_MAX, BulkCreation
from app.service.posts.changing import cancel, remove, reschedule
from app.service.posts.creating import Creation
from app.service.posts.rows import find_post, listed
from app.service.store.tables import posts

router = APIRouter(prefix="/posts", tags=["posts"])

PostId = Annotated[UUID, Depends(PathId("post_id", "post"))]


@router.post("", response_model=Post, status_code=201)
async def create_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_CREATE))],
    body: Annotated[CreatePost, Depends(JsonBody(CreatePost))],
) -> Response:
    creation = Creation(principal.account_id, body, service.clock())
    created = await service.database.write(creation.store)
    if created.replayed:
        return answer(created.post, headers={"Idempotent-Replay": "true"})
    service.notify()
    return answer(created.post, 201)


@router.get("", response_model=Page[Post])
async def list_posts(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_LIST))],
    query: Annotated[PostListQuery, Depends(Query(PostListQuery))],
) -> Response:
    return answer(await read_page(service, listed(principal.account_id, query), posts, query, Post))


@router.post("/bulk", response_model=BulkCreateResult, status_code=200)
async def create_posts(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_BULK))],
    body: Annotated[BulkCreatePosts, Depends(JsonBody(BulkCreatePosts, bytes_max=BODY_BYTES_MAX))],
) -> Response:
    creation = await asyncio.to_thread(BulkCreation, principal.account_id, body.posts, service.clock())
    result = await service.database.write(creation.store)
    if result.inserted:
        service.notify()
    return answer(result)


@router.get("/{post_id}", response_model=Post)
async def get_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_GET))],
    post_id: PostId,
) -> Response:
    return answer(await service.database.read(lambda rows: find_post(rows, principal.account_id, post_id)))


@router.patch("/{post_id}", response_model=Post)
async def reschedule_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_RESCHEDULE))],
    post_id: PostId,
    body: Annotated[ReschedulePost, Depends(JsonBody(ReschedulePost))],
) -> Response:
    at = body.scheduled_at
    if at <= service.clock():
        raise invalid("scheduled_at", "must be in the future", "time_past")
    moved = await service.database.write(lambda rows: reschedule(rows, principal.account_id, post_id, at))
    service.notify()
    return answer(moved)


@router.delete("/{post_id}", response_model=PostDeleteResult)
async def delete_post(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_DELETE))],
    post_id: PostId,
    query: Annotated[DeletePostQuery, Depends(Query(DeletePostQuery))],
) -> Response:
    end = remove if query.hard else cancel
    result = await service.database.write(lambda rows: end(rows, principal.account_id, post_id))
    service.notify()
    return answer(result)
