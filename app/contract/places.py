"""Options and limits of posts on companion networks, and accounts on servers of the user's choice.

Part of the companion API.
"""

from typing import Annotated, Final

from pydantic import Field, WithJsonSchema

from app.contract.base import (
    Count,
    Few,
    HttpUrl,
    Known,
    Line,
    Omittable,
    RequestModel,
    ResponseModel,
    Text,
    Timestamp,
    Word,
    Words,
)
from app.contract.enums import WORD_MAX, ConnectionPlatform, OpenEnum
from app.contract.limits import CONTENT_WARNING_MAX, SERVER_MAX

NETWORK: Final = WithJsonSchema({"type": "string", "minLength": 1, "maxLength": WORD_MAX})
"""Describes a platform that can be any network, also one that the specification doesn't name."""


class Visibility(OpenEnum):
    """Who can see a post, with Mastodon's own values. ``unlisted`` posts are left out of public timelines."""

    PUBLIC = "public"
    UNLISTED = "unlisted"
    FOLLOWERS = "private"


class PlaceOptions(ResponseModel):
    """Options of a post. Null for the account's own default."""

    content_warning: Words | None = None
    visibility: Visibility | None = None
    language: Word | None = None


class NewPlaceOptions(RequestModel):
    """Options for a new post. Networks refuse options they don't have.

    ``language`` is a language tag such as ``de`` or ``pt-BR``.
    """

    content_warning: Omittable[Annotated[Text, Field(max_length=CONTENT_WARNING_MAX)]] = None
    visibility: Omittable[Known[Visibility]] = None
    language: Omittable[Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$")]] = None

    @property
    def options(self) -> PlaceOptions | None:
        """The chosen options; None without any."""
        chosen = self.model_dump(exclude_none=True)
        return PlaceOptions.model_validate(chosen) if chosen else None


class PlaceLimits(ResponseModel):
    """Limits of an account's server. Null where the server names none.

    ``link_length`` is what any link counts. An empty ``content_types`` means that the server doesn't say
    which files it takes.
    """

    text_max: Count | None = None
    link_length: Count | None = None
    alt_text_max: Count | None = None
    content_types: Few[Word] = Field(default_factory=list)
    image_bytes_max: Count | None = None
    image_pixels_max: Count | None = None
    video_bytes_max: Count | None = None
    video_frame_rate_max: Count | None = None
    files_max: Count | None = None
    read_at: Timestamp | None = None


class ConnectServer(RequestModel):
    """Request to start a browser flow for an account on a server.

    ``server`` is its name, such as ``mastodon.social``, or an address of an account there, such as
    ``@robin@mastodon.social``. On Bluesky, it's the account's handle.
    """

    platform: Annotated[ConnectionPlatform, NETWORK]
    server: Annotated[Line, Field(min_length=1, max_length=SERVER_MAX)]
    redirect_url: Omittable[HttpUrl] = None
