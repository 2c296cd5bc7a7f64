"""What a server says about itself: its software and its limits."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, field_validator

from app.contract.places import PlaceLimits

_Limit = Annotated[int, Field(ge=1, le=10**13)]
_FILES: Final = ("image/", "video/")
_KEEPS_KEYS: Final = re.compile(
    r"(?:[2-9]|[1-9][0-9]+)\.[0-9]+\.[0-9]+(?!.*\bcompatible\b)|.*compatible; (?:Akkoma|Pleroma)\b"
)
"""Versions of software that documents ``Idempotency-Key``. Others call themselves compatible with Mastodon.

GoToSocial's versions begin with 0.
"""
_BROAD: Final = re.compile(r"compatible; Pixelfed\b", re.IGNORECASE)
"""Versions of software that refuses narrow scopes: pixelfed/pixelfed issue 2106."""


class _Model(BaseModel):
    """A part of the description. Values of an unexpected type count as missing."""

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_nothing(cls, value: Any, read: Any) -> Any:
        try:
            return read(value)
        except ValueError:
            return None


class _Statuses(_Model):
    text_max: Annotated[_Limit | None, Field(alias="max_characters")] = None
    files_max: Annotated[_Limit | None, Field(alias="max_media_attachments")] = None
    link_length: Annotated[_Limit | None, Field(alias="characters_reserved_per_url")] = None


class _Files(_Model):
    content_types: Annotated[list[str] | None, Field(alias="supported_mime_types")] = None
    description: Annotated[_Limit | None, Field(alias="description_limit")] = None
    image_size: Annotated[_Limit | None, Field(alias="image_size_limit")] = None
    image_pixels: Annotated[_Limit | None, Field(alias="image_matrix_limit")] = None
    video_size: Annotated[_Limit | None, Field(alias="video_size_limit")] = None
    video_rate: Annotated[_Limit | None, Field(alias="video_frame_rate_limit")] = None


class _Configuration(_Model):
    statuses: _Statuses | None = None
    files: Annotated[_Files | None, Field(alias="media_attachments")] = None


class Instance(_Model):
    """The answer of ``/api/v2/instance``, or of ``/api/v1/instance`` with fewer fields.

    ``text_max`` is how Pleroma and its forks named the limit before ``configuration``.
    """

    version: Annotated[str | None, Field(max_length=200)] = None
    configuration: _Configuration | None = None
    text_max: Annotated[_Limit | None, Field(alias="max_toot_chars")] = None

    @property
    def keeps_keys(self) -> bool:
        """Whether the software documents that it recognizes a repeated ``Idempotency-Key`` for an hour."""
        return _KEEPS_KEYS.match(self.version or "") is not None

    @property
    def scopes(self) -> str:
        """The scopes to request."""
        if _BROAD.search(self.version or ""):
            return "read write"
        return "read:accounts read:statuses write:media write:statuses"

    def limits(self, now: datetime) -> PlaceLimits:
        """Return the limits, as read at ``now``."""
        configuration = self.configuration or _Configuration()
        statuses, files = configuration.statuses or _Statuses(), configuration.files or _Files()
        found: Mapping[str, int | None] = {
            "text_max": statuses.text_max or self.text_max,
            "link_length": statuses.link_length,
            "files_max": statuses.files_max,
            "alt_text_max": files.description,
            "image_bytes_max": files.image_size,
            "image_pixels_max": files.image_pixels,
            "video_bytes_max": files.video_size,
            "video_frame_rate_max": files.video_rate,
        }
        kinds = [kind for kind in files.content_types or () if kind.startswith(_FILES) and len(kind) < 100]
        return PlaceLimits.model_validate({**found, "content_types": kinds[:100], "read_at": now})
