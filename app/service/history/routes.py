"""``GET /content-history``."""

from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import Select, Uuid, select, type_coerce
from starlette.responses import Response

from app.contract.enums import Action
from app.contract.history import ContentHistoryQuery, ContentRecord
from app.contract.pagination import Page
from app.service.accounts.keys import Principal
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.pages import read_page
from app.service.api.principal import calling
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.store.tables import contents

router = Router(tag="history")

_COLUMNS = (
    contents.c.id,
    contents.c.platform,
    contents.c.content_id,
    type_coerce(contents.c.post_id, Uuid(as_uuid=False)).label("scheduled_post_id"),
    contents.c.title,
    contents.c.description,
    contents.c.media_url,
    contents.c.media_type,
    contents.c.status,
    contents.c.batch_id,
    contents.c.created_via,
    contents.c.created_at,
)


@router.get("/content-history", response_model=Page[ContentRecord], status_code=200)
async def list_content(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.HISTORY_LIST))],
    query: Annotated[ContentHistoryQuery, Depends(Query(ContentHistoryQuery))],
) -> Response:
    """List published content, newest first."""
    rows = listed(principal.account_id, query)
    return answer(await read_page(service, principal, rows, contents, query, ContentRecord))


def listed(account_id: UUID, query: ContentHistoryQuery) -> Select[Any]:
    """What an account published, as far as it passes the query's filter.

    The originating post is named also when it has been deleted since. ``media_url`` is null: files are shown
    to their owner alone, and an item's page on its platform is no file.
    """
    rows = select(*_COLUMNS).where(contents.c.account_id == account_id)
    if query.platform is not None:
        rows = rows.where(contents.c.platform == query.platform.value)
    return rows
