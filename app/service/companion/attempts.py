"""``GET /companion/v1/posts/{id}/attempts``: every attempt to publish a post."""

from uuid import UUID

from sqlalchemy import Connection, and_, select
from starlette.responses import Response

from app.contract.companion import Attempt, AttemptList
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.routing import Router
from app.service.posts.routes import PostId
from app.service.posts.rows import find_post
from app.service.store.tables import attempts, contents

router = Router(tag="posts")


@router.get("/posts/{post_id}/attempts", response_model=AttemptList)
async def list_attempts(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """List a post's publishing attempts, newest first, with the platform's message and possible actions."""
    found = await service.database.read(lambda rows: _attempts(rows, principal.account_id, post_id))
    return answer(found)


def _attempts(connection: Connection, account_id: UUID, post_id: UUID) -> AttemptList:
    find_post(connection, account_id, post_id)
    published = and_(contents.c.post_id == attempts.c.post_id, contents.c.content_id == attempts.c.content_id)
    rows = connection.execute(
        select(attempts, contents.c.url.label("content_url"))
        .outerjoin(contents, published)
        .where(attempts.c.post_id == post_id, attempts.c.account_id == account_id)
        .order_by(attempts.c.started_at.desc(), attempts.c.id)
    )
    return AttemptList(data=[Attempt.model_validate(row, from_attributes=True) for row in rows])
