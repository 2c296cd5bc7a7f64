"""``/companion/v1/posts/{id}``: single posts that the user publishes by hand, on any network."""

from typing import Annotated
from uuid import UUID

from starlette.responses import Response

from app.contract.companion import AnyPost, CreateAnyPost, FinishPost, PublishByHand
from app.contract.posts import DeletePostQuery, PostDeleteResult, ReschedulePost
from app.platforms.cards import COMPANION_NETWORKS
from app.service.accounts.accounts import Caller
from app.service.api.context import PrincipalDep, Service, ServiceDep
from app.service.api.requests import JsonBody, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.posts.by_hand import check_publishable, set_by_hand
from app.service.posts.creating import Creation
from app.service.posts.handling import handle_creation, handle_deletion, handle_reschedule
from app.service.posts.routes import REPLAY, PostId
from app.service.posts.rows import find_post
from app.service.publishing.endings import finish, take_back
from app.service.store.reach import Reach

router = Router(prefix="/posts", tag="posts")


@router.post("", response_model=AnyPost, status_code=201, responses=REPLAY)
async def create_any_post(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CreateAnyPost, Depends(JsonBody(CreateAnyPost))],
) -> Response:
    """Create a post on any network. With `by_hand`, the user publishes it at its time."""
    is_companion = body.platform in COMPANION_NETWORKS
    limits = None
    if is_companion:
        limits = await service.connections.limits.of(principal.account_id, body.social_account_id)
    creation = Creation(
        principal.account_id,
        body,
        service.clock(),
        service.connections.unreachable,
        new_id=service.new_id,
        reach=Reach.COMPANION if is_companion else Reach.ALL,
        limits=limits,
    )
    return await handle_creation(service, principal.caller, creation)


@router.get("/{post_id}", response_model=AnyPost)
async def get_any_post(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """Get a post on any network."""
    owner = principal.account_id
    return answer(await service.database.read(lambda rows: find_post(rows, owner, post_id, Reach.ALL)))


@router.patch("/{post_id}", response_model=AnyPost)
async def reschedule_any_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[ReschedulePost, Depends(JsonBody(ReschedulePost))],
) -> Response:
    """Reschedule a post on any network, also while it waits for the user. Resumes a cancelled one."""
    return await handle_reschedule(service, principal.caller, post_id, body.scheduled_at, Reach.ALL)


@router.delete("/{post_id}", response_model=PostDeleteResult)
async def delete_any_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    query: Annotated[DeletePostQuery, Depends(Query(DeletePostQuery))],
) -> Response:
    """Cancel a post on any network, or delete it permanently."""
    caller = principal.caller
    return await handle_deletion(service, caller, post_id, hard=query.hard, reach=Reach.ALL)


@router.put("/{post_id}/by-hand", response_model=AnyPost, responses={400: {}})
async def set_post_by_hand(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[PublishByHand, Depends(JsonBody(PublishByHand))],
) -> Response:
    """Let the user publish a post by hand at its time, or Kalends again.

    Returns 400 on platforms without this, for posts that are neither scheduled nor cancelled, and for those
    that Kalends can't publish, such as pins without a board.
    """
    owner, by_hand = principal.account_id, body.by_hand
    if not by_hand:
        unreachable = service.connections.unreachable
        await service.database.read(lambda rows: check_publishable(rows, owner, post_id, unreachable))
    post = await service.write(
        principal.caller, lambda rows: set_by_hand(rows, owner, post_id, by_hand=by_hand)
    )
    service.notify()
    return answer(post)


@router.put("/{post_id}/finished", response_model=AnyPost, responses={400: {}})
async def finish_any_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[FinishPost, Depends(JsonBody(FinishPost))],
) -> Response:
    """Report that the user has published a post by hand."""
    return await handle_report(service, principal.caller, post_id, body, Reach.ALL)


@router.delete("/{post_id}/finished", response_model=AnyPost, responses={400: {}})
async def take_back_any_post(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """Take back the report that a post was published by hand, within ten minutes."""
    return await handle_take_back(service, principal.caller, post_id, Reach.ALL)


async def handle_report(
    service: Service, caller: Caller, post_id: UUID, report: FinishPost, reach: Reach
) -> Response:
    """Record that the user has published a post. Raises ApiError."""
    url, now = None if report.url is None else str(report.url), service.clock()
    owner = caller.account_id
    done = await service.write(caller, lambda rows: finish(rows, owner, post_id, url, now, reach))
    service.notify()
    return answer(done)


async def handle_take_back(service: Service, caller: Caller, post_id: UUID, reach: Reach) -> Response:
    """Undo ``handle_report`` within ten minutes. Raises ApiError."""
    owner, now = caller.account_id, service.clock()
    post = await service.write(caller, lambda rows: take_back(rows, owner, post_id, now, reach))
    service.notify()
    return answer(post)
