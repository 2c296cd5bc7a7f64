"""``GET /companion/v1/posts``: posts by the time of their publication."""

from typing import Annotated

from sqlalchemy import Connection, Select, select, tuple_
from starlette.responses import Response

from app.contract.companion import PostRangeQuery
from app.contract.pagination import Page
from app.contract.posts import Post
from app.service.accounts.keys import Principal
from app.service.api.context import ServiceDep
from app.service.api.cursors import Position
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.posts.rows import POST_COLUMNS, as_post
from app.service.store.tables import posts

router = Router(tag="posts")

_LIST = "calendar"


@router.get("/posts", response_model=Page[Post])
async def list_posts_by_time(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PostRangeQuery, Depends(Query(PostRangeQuery))],
) -> Response:
    """List posts in a time range, earliest first. `from` is inclusive, `to` is exclusive."""
    after = service.cursors.read(_LIST, query.cursor) if query.cursor else None
    statement = _page(principal, query, after)

    def work(rows: Connection) -> list[Post]:
        return [as_post(row) for row in rows.execute(statement)]

    found = await service.database.read(work, share=principal.account_id)
    shown = found[: query.limit]
    more = len(found) > query.limit
    cursor = service.cursors.write(_LIST, Position(shown[-1].scheduled_at, shown[-1].id)) if more else None
    return answer(Page[Post](data=shown, next_cursor=cursor))


def _page(principal: Principal, query: PostRangeQuery, after: Position | None) -> Select[tuple[object, ...]]:
    """One row more than asked for tells whether there is another page."""
    by_time = posts.c.scheduled_at, posts.c.id
    page = (
        select(*POST_COLUMNS)
        .where(
            posts.c.account_id == principal.account_id,
            posts.c.scheduled_at >= query.start,
            posts.c.scheduled_at < query.end,
        )
        .order_by(*by_time)
        .limit(query.limit + 1)
    )
    return page if after is None else page.where(tuple_(*by_time) > (after.at, after.id))
