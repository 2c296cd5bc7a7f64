"""``/companion/v1/media``: listing and describing stored files."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Final
from uuid import UUID

from sqlalchemy import Connection, select
from starlette.responses import Response

from app.contract.companion import DescribeMedia, MediaFile
from app.contract.pagination import Page, PageQuery
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.media import rows
from app.service.store.tables import media, posts
from app.service.tiktok import with_choices

router = Router(tag="media")

_COLUMNS = tuple(media.c[name] for name in MediaFile.model_fields if name != "used_in")
_STORED: Final = Listing(media, _COLUMNS, where=(media.c.expires_at.is_(None),))


@router.get("/media", response_model=Page[MediaFile])
async def list_media(
    service: ServiceDep, principal: PrincipalDep, query: Annotated[PageQuery, Depends(Query(PageQuery))]
) -> Response:
    """List stored files, newest first, with the posts that use each."""
    page = await _STORED.page(service, principal.account_id, query)
    paths = [file["storage_path"] for file in page.data]
    users = await service.database.read(lambda opened: _users(opened, paths))
    files = [MediaFile(**file, used_in=users.get(file["storage_path"], [])) for file in page.data]
    return answer(Page[MediaFile](data=files, next_cursor=page.next_cursor))


@router.patch("/media/{storage_path:path}", response_model=MediaFile)
async def describe_media(
    service: ServiceDep,
    principal: PrincipalDep,
    storage_path: str,
    body: Annotated[DescribeMedia, Depends(JsonBody(DescribeMedia))],
) -> Response:
    """Set a file's alt text, and the time of a video's cover frame.

    Also sets choices for TikTok, which apply to posts created with the file from then on.
    """

    def work(opened: Connection) -> MediaFile:
        stored = rows.find_stored(opened, principal.account_id, storage_path, lock=True)
        changes = body.model_dump(exclude_unset=True, exclude={"tiktok"})
        if body.tiktok is not None:
            owner, kept = principal.account_id, stored["tiktok"]
            changes["tiktok"] = with_choices(opened, owner, kept, body.tiktok)
        changed = rows.describe(opened, storage_path, changes)
        return _with_users(
            MediaFile.model_validate(changed, from_attributes=True), _users(opened, [storage_path])
        )

    return answer(await service.write(principal.caller, work))


def _users(connection: Connection, paths: Sequence[str]) -> Mapping[str, list[UUID]]:
    """The posts that use each path, newest first."""
    found: dict[str, list[UUID]] = defaultdict(list)
    using = (
        select(posts.c.media_storage_path, posts.c.id)
        .where(posts.c.media_storage_path.in_(paths), rows.HAS_FILE)
        .order_by(posts.c.created_at.desc(), posts.c.id)
    )
    for row in connection.execute(using):
        found[row.media_storage_path].append(row.id)
    return found


def _with_users(file: MediaFile, users: Mapping[str, list[UUID]]) -> MediaFile:
    return file.model_copy(update={"used_in": users.get(file.storage_path, [])})
