"""``GET /content-history``."""

from typing import Annotated, Final

from starlette.responses import Response

from app.contract.enums import Action
from app.contract.history import ContentHistoryQuery, ContentRecord
from app.contract.pagination import Page
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep, calling
from app.service.api.listing import Listing
from app.service.api.requests import Query
from app.service.api.routing import Depends, Router
from app.service.store.tables import contents

router = Router(tag="history")

CONTENT_COLUMNS = (
    contents.c.id,
    contents.c.platform,
    contents.c.content_id,
    contents.c.post_id.label("scheduled_post_id"),  # included even if the post was deleted since
    contents.c.title,
    contents.c.description,
    contents.c.media_url,  # null: files are private, and a published item's page isn't a file
    contents.c.media_type,
    contents.c.status,
    contents.c.batch_id,
    contents.c.created_via,
    contents.c.created_at,
)
CONTENTS: Final = Listing(contents, CONTENT_COLUMNS, filters=(contents.c.platform,))


@router.get("/content-history", response_model=Page[ContentRecord], status_code=200)
async def list_content(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.HISTORY_LIST))],
    query: Annotated[ContentHistoryQuery, Depends(Query(ContentHistoryQuery))],
) -> Response:
    """List published content, newest first."""
    return await CONTENTS.answer(service, principal.account_id, query, platform=query.platform)
