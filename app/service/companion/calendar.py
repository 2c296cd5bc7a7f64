"""``GET /companion/v1/posts``: posts by the time of their publication."""

from typing import Annotated, Final

from sqlalchemy import bindparam
from starlette.responses import Response

from app.contract.companion import PostRangeQuery
from app.contract.pagination import Page
from app.contract.posts import Post
from app.service.api.context import ServiceDep
from app.service.api.listing import Listing
from app.service.api.principal import PrincipalDep
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.posts.rows import POST_COLUMNS
from app.service.store.tables import posts

router = Router(tag="posts")

_CALENDAR: Final = Listing(
    posts,
    POST_COLUMNS,
    where=(posts.c.scheduled_at >= bindparam("start"), posts.c.scheduled_at < bindparam("end")),
    by=posts.c.scheduled_at,
    earliest_first=True,
    name="calendar",
)


@router.get("/posts", response_model=Page[Post])
async def list_posts_by_time(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PostRangeQuery, Depends(Query(PostRangeQuery))],
) -> Response:
    """List posts in a time range, earliest first. `from` is inclusive, `to` is exclusive."""
    return await _CALENDAR.answer(service, principal.account_id, query, start=query.start, end=query.end)
