"""Connected social accounts, and the browser flow that connects them."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import AliasChoices, FailFast, Field, model_validator

from app.contract.base import (
    Count,
    Cut,
    HttpUrl,
    Known,
    Link,
    Omittable,
    RequestModel,
    ResponseModel,
    Sentence,
    Timestamp,
    Word,
)
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.limits import BOARDS_PAGE_SIZE_DEFAULT, BOARDS_PAGE_SIZE_MAX
from app.contract.pagination import Following, PageQuery


class Connection(ResponseModel):
    """A connected account (ConnectionDTO). It must be reauthorized if it isn't available."""

    id: UUID
    platform: ConnectionPlatform
    account_identifier: Word
    display_name: Word | None
    username: Word | None
    avatar_url: Link | None
    is_verified: bool | None
    follower_count: Count | None
    is_available: bool
    token_expires_at: Timestamp | None
    created_at: Timestamp


class ConnectionListQuery(PageQuery):
    """Filters for connections."""

    platform: Omittable[Known[ConnectionPlatform]] = None
    include_unavailable: bool = False


class InitiateConnection(RequestModel):
    """Request to start a browser flow. The browser goes to ``redirect_url`` at the end."""

    platform: Known[PostingPlatform]
    redirect_url: Omittable[HttpUrl] = None


class ConnectionInitiation(ResponseModel):
    """Where to send the browser, and when the attempt expires."""

    connect_url: Link
    state: Link
    expires_at: Timestamp
    connection_id: UUID


class Reauthorization(ResponseModel):
    """Where to send the browser to reauthorize an account."""

    reauth_url: Link
    account: Connection


class BoardListQuery(RequestModel):
    """Selects a page of boards."""

    page_size: Annotated[int, Field(ge=1, le=BOARDS_PAGE_SIZE_MAX)] = BOARDS_PAGE_SIZE_DEFAULT
    bookmark: Omittable[str] = None


class PinterestBoard(ResponseModel):
    """A Pinterest board."""

    id: Word
    name: Word
    description: Sentence | None
    privacy: Word | None
    pin_count: Count | None


class PinterestBoardPage(ResponseModel):
    """A page of boards. Also accepts the wrappers of other services, and a plain list."""

    data: Annotated[list[PinterestBoard], FailFast(), Cut(2_000)] = Field(
        validation_alias=AliasChoices("data", "items", "boards")
    )
    bookmark: Following = Field(
        default=None, validation_alias=AliasChoices("bookmark", "next_bookmark", "next_cursor")
    )

    @model_validator(mode="before")
    @classmethod
    def _read_bare_list(cls, value: Any) -> Any:
        return {"data": value} if isinstance(value, list) else value
