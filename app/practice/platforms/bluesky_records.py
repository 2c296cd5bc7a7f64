"""Records of the stand-in for Bluesky: what a post may contain, and how a body that isn't one is refused."""

import json
from typing import Annotated, Literal, TypeVar

import regex  # type: ignore[import-untyped,unused-ignore]  # stubs are optional
from fastapi.responses import JSONResponse
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from app.practice.platforms.base import PlatformError

POSTS = "app.bsky.feed.post"
_LONGEST_TEXT = 300
_LONGEST_TEXT_BYTES = 3000

_Model = TypeVar("_Model", bound=BaseModel)


class Strict(BaseModel):
    """Base of bodies: an unknown field, or "5" for a number, is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Ref(Strict):
    link: str = Field(alias="$link")


class Blob(Strict):
    """A reference to an uploaded file."""

    type: Literal["blob"] = Field(alias="$type")
    ref: _Ref
    mime_type: str = Field(alias="mimeType")
    size: int


class _Ratio(Strict):
    width: int = Field(ge=1)
    height: int = Field(ge=1)


class _Image(Strict):
    alt: str
    image: Blob
    ratio: _Ratio | None = Field(None, alias="aspectRatio")


class Images(Strict):
    """One to four images with their descriptions."""

    type: Literal["app.bsky.embed.images"] = Field(alias="$type")
    images: list[_Image] = Field(min_length=1, max_length=4)


class Video(Strict):
    """A video with its description."""

    type: Literal["app.bsky.embed.video"] = Field(alias="$type")
    video: Blob
    alt: str = Field("", max_length=10_000)
    ratio: _Ratio | None = Field(None, alias="aspectRatio")


class _External(Strict):
    uri: str
    title: str
    description: str
    thumb: Blob | None = None


class Card(Strict):
    """A link card: a page, its title and perhaps a picture."""

    type: Literal["app.bsky.embed.external"] = Field(alias="$type")
    external: _External


class _Place(Strict):
    start: int = Field(alias="byteStart", ge=0)
    end: int = Field(alias="byteEnd", ge=0)


class _Mention(Strict):
    type: Literal["app.bsky.richtext.facet#mention"] = Field(alias="$type")
    did: str = Field(pattern=r"^did:[a-z]+:\S+$")


class _Link(Strict):
    type: Literal["app.bsky.richtext.facet#link"] = Field(alias="$type")
    uri: str = Field(pattern=r"^[a-zA-Z]+:(//)?[^\s/]\S*$")


class _Tag(Strict):
    type: Literal["app.bsky.richtext.facet#tag"] = Field(alias="$type")
    tag: str = Field(max_length=640)


class _Facet(Strict):
    index: _Place
    features: list[Annotated[_Mention | _Link | _Tag, Field(discriminator="type")]]


class Post(Strict):
    """The record of a post."""

    type: Literal["app.bsky.feed.post"] = Field(alias="$type")
    text: str
    created_at: Annotated[AwareDatetime, Field(alias="createdAt", strict=False)]
    facets: list[_Facet] = []
    languages: list[str] = Field([], alias="langs", max_length=3)
    embed: Annotated[Images | Video | Card, Field(discriminator="type")] | None = None


class Put(Strict):
    """The body of ``putRecord``."""

    repo: str
    collection: Literal["app.bsky.feed.post"]
    key: str = Field(alias="rkey", pattern=r"^[234567a-j][234567a-z]{12}$")
    record: Post
    # Only null, which asks for a free key: nothing here is ever replaced.
    swap: None = Field(alias="swapRecord")


def read_body(model: type[_Model], body: bytes) -> _Model:
    """Parse a body, or return Bluesky's 400 with the first error."""
    try:
        return model.model_validate(json.loads(body))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = "/".join(str(part) for part in first["loc"])
        reason = f"Invalid {POSTS} record: {place}: {first['msg']}"
    except (ValueError, RecursionError):
        reason = "Input must be valid JSON"
    raise PlatformError(xrpc_error("InvalidRequest", reason, 400))


def check_text(post: Post) -> None:
    """Raise PlatformError for a text that is too long, or facets outside of it."""
    size = len(post.text.encode(errors="surrogatepass"))
    graphemes = len(regex.findall(r"\X", post.text))
    if graphemes > _LONGEST_TEXT:
        reason = f"grapheme too big (maximum {_LONGEST_TEXT}, got {graphemes}) at $.record.text"
    elif size > _LONGEST_TEXT_BYTES:
        reason = f"string too big (maximum {_LONGEST_TEXT_BYTES}, got {size}) at $.record.text"
    elif any(not facet.index.start < facet.index.end <= size for facet in post.facets):
        reason = "Facets are not inside the text"
    else:
        return
    raise PlatformError(xrpc_error("InvalidRequest", f"Invalid {POSTS} record: {reason}", 400))


def xrpc_error(name: str, message: str, status: int) -> JSONResponse:
    """Return an error in the format of the AT Protocol."""
    return JSONResponse({"error": name, "message": message}, status)
