"""Files used by posts."""

from typing import Annotated

from pydantic import Field

from app.contract.base import Address, Count, HttpUrl, Link, Omittable, RequestModel, ResponseModel, Word
from app.contract.limits import FILENAME_MAX, VIEW_URL_SECONDS_DEFAULT, VIEW_URL_SECONDS_MAX

Filename = Annotated[str, Field(min_length=1, max_length=FILENAME_MAX)]


class RequestUploadUrl(RequestModel):
    """Announcement of an upload; ``size_bytes`` is exact."""

    filename: Filename
    content_type: Annotated[str, Field(pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$")]
    size_bytes: Annotated[int, Field(gt=0)]


class UploadUrl(ResponseModel):
    """Where to PUT the bytes, and the path of the file."""

    upload_url: Link
    storage_path: Address
    token: Link
    expires_in_seconds: Count


class AttachFromUrl(RequestModel):
    """A public URL to download from."""

    url: HttpUrl
    filename: Omittable[Filename] = None


class MediaImport(ResponseModel):
    """An imported file."""

    success: bool
    storage_path: Address
    content_type: Word
    size_bytes: Count


class MediaViewQuery(RequestModel):
    """Lifetime of a view URL, in seconds."""

    expires_in_seconds: Annotated[int, Field(ge=1, le=VIEW_URL_SECONDS_MAX)] = VIEW_URL_SECONDS_DEFAULT


class MediaView(ResponseModel):
    """A signed URL for viewing a file."""

    view_url: Link
    expires_in_seconds: Count


class MediaDeleteResult(ResponseModel):
    """Whether a file was deleted; False while a post still needs it."""

    storage_path: Address
    deleted: bool
