"""``/companion/v1/posts``: posts by time, and the attempts to publish them."""

from typing import Annotated, Final
from uuid import UUID

from sqlalchemy import Connection, and_, bindparam, select
from starlette.responses import Response

from app.contract.companion import AnyPost, Attempt, AttemptList, PostRangeQuery, ReportOutcome
from app.contract.pagination import Page
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.posts.changing import report_outcome
from app.service.posts.routes import PostId
from app.service.posts.rows import ANY_POST_COLUMNS, find_post
from app.service.store.reach import Reach
from app.service.store.tables import attempts, contents, posts

router = Router(tag="posts")

_CALENDAR: Final = Listing(
    posts,
    ANY_POST_COLUMNS,
    where=(posts.c.scheduled_at >= bindparam("start"), posts.c.scheduled_at < bindparam("end")),
    by=posts.c.scheduled_at,
    earliest_first=True,
    reach=Reach.ALL,
    name="calendar",
)


@router.get("/posts/{post_id}/attempts", response_model=AttemptList)
async def list_attempts(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """List a post's publishing attempts, newest first, with the platform's message and possible actions."""
    found = await service.database.read(lambda rows: _attempts(rows, principal.account_id, post_id))
    return answer(found)


@router.put("/posts/{post_id}/outcome", response_model=AnyPost, responses={400: {}})
async def set_outcome(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[ReportOutcome, Depends(JsonBody(ReportOutcome))],
) -> Response:
    """Report what was found on the platform, after its answer was lost and couldn't be found out.

    A post that is live becomes `posted`; the first attempt without an answer counts as the one that published
    it. It isn't added to the history, because its content ID is unknown. Otherwise it stays `failed`, and its
    attempts count as refused. Returns 400 for posts whose outcome is known.
    """
    owner, now = principal.account_id, service.clock()
    found = await service.write(
        principal.caller, lambda rows: report_outcome(rows, owner, post_id, now, is_live=body.is_live)
    )
    return answer(found)


def _attempts(connection: Connection, account_id: UUID, post_id: UUID) -> AttemptList:
    find_post(connection, account_id, post_id, Reach.ALL)
    published = and_(contents.c.post_id == attempts.c.post_id, contents.c.content_id == attempts.c.content_id)
    rows = connection.execute(
        select(attempts, contents.c.url.label("content_url"))
        .outerjoin(contents, published)
        .where(attempts.c.post_id == post_id, attempts.c.account_id == account_id)
        .order_by(attempts.c.started_at.desc(), attempts.c.id)
    )
    return AttemptList(data=[Attempt.model_validate(row, from_attributes=True) for row in rows])


@router.get("/posts", response_model=Page[AnyPost])
async def list_posts_by_time(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PostRangeQuery, Depends(Query(PostRangeQuery))],
) -> Response:
    """List posts on all networks in a time range, earliest first. `from` is inclusive, `to` is exclusive."""
    return await _CALENDAR.answer(service, principal.account_id, query, start=query.start, end=query.end)
