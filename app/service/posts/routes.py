"""``/posts``."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.contract.enums import Action
from app.contract.pagination import Page
from app.contract.posts import (
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
from app.service.api.requests import path_id, read_body, read_query
from app.service.posts.changing import cancel, remove, reschedule
from app.service.posts.creating import Creation
from app.service.posts.rows import find_post, listed
from app.service.store.tables import posts

router = APIRouter(prefix="/posts", tags=["posts"])


@router.post("", response_model=Post, status_code=201)
async def create_post(
    request: Request,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_CREATE))],
) -> Response:
    body = await read_body(request, CreatePost)
    creation = Creation(principal.account_id, body, service.clock())
    created = await service.database.write(creation.store)
    if created.replayed:
        return answer(created.post, headers={"Idempotent-Replay": "true"})
    service.notify()
    return answer(created.post, 201)


@router.get("", response_model=Page[Post])
async def list_posts(
    request: Request,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_LIST))],
) -> Response:
    query = read_query(request, PostListQuery)
    return answer(await read_page(service, listed(principal.account_id, query), posts, query, Post))


@router.get("/{post_id}", response_model=Post)
async def get_post(
    post_id: str,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_GET))],
) -> Response:
    found = path_id(post_id, "post")
    return answer(await service.database.read(lambda rows: find_post(rows, principal.account_id, found)))


@router.patch("/{post_id}", response_model=Post)
async def reschedule_post(
    post_id: str,
    request: Request,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_RESCHEDULE))],
) -> Response:
    found = path_id(post_id, "post")
    at = (await read_body(request, ReschedulePost)).scheduled_at
    if at <= service.clock():
        raise invalid("scheduled_at", "must be in the future", "time_past")
    moved = await service.database.write(lambda rows: reschedule(rows, principal.account_id, found, at))
    service.notify()
    return answer(moved)


@router.delete("/{post_id}", response_model=PostDeleteResult)
async def delete_post(
    post_id: str,
    request: Request,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.POSTS_DELETE))],
) -> Response:
    found = path_id(post_id, "post")
    end = remove if read_query(request, DeletePostQuery).hard else cancel
    result = await service.database.write(lambda rows: end(rows, principal.account_id, found))
    service.notify()
    return answer(result)
