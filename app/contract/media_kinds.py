"""Supported media types, and how to detect them from the first bytes."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import filetype  # type: ignore[import-untyped]

from app.contract.enums import PostType

HEAD_BYTES: Final = 8192
"""Number of bytes needed to detect a file's type."""


@dataclass(frozen=True, slots=True)
class MediaKind:
    """A supported media type.

    Attributes:
        content_type: Its MIME type, in lowercase.
        post_type: The type of the posts that can contain it.
        extensions: Common file name extensions, the preferred one first.
        aliases: Other MIME types in use for it.
        beginnings: Required first bytes, where the detection library checks too few.
    """

    content_type: str
    post_type: PostType
    extensions: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = (b"",)

    @property
    def extension(self) -> str:
        """File name extension for this type."""
        return self.extensions[0]


# Excluded: SVG and HTML can run scripts; the signatures of BMP and MPEG are too short.
KINDS: Final = (
    MediaKind("image/jpeg", PostType.IMAGE, ("jpg", "jpeg"), ("image/jpg", "image/pjpeg")),
    MediaKind("image/png", PostType.IMAGE, ("png",), ("image/apng",), (b"\x89PNG\r\n\x1a\n",)),
    MediaKind("image/gif", PostType.IMAGE, ("gif",), beginnings=(b"GIF87a", b"GIF89a")),
    MediaKind("image/webp", PostType.IMAGE, ("webp",)),
    MediaKind("image/heic", PostType.IMAGE, ("heic", "heif"), ("image/heif",)),
    MediaKind("image/avif", PostType.IMAGE, ("avif",)),
    MediaKind("video/mp4", PostType.VIDEO, ("mp4", "m4v"), ("video/x-m4v",)),
    MediaKind("video/quicktime", PostType.VIDEO, ("mov", "qt")),
    MediaKind("video/webm", PostType.VIDEO, ("webm",)),
    MediaKind("video/x-matroska", PostType.VIDEO, ("mkv",), ("video/matroska",)),
    MediaKind("video/x-msvideo", PostType.VIDEO, ("avi",), ("video/avi", "video/vnd.avi")),
)

_BY_TYPE: Final = MappingProxyType(
    {name: kind for kind in KINDS for name in (kind.content_type, *kind.aliases)}
)


def kind_of(content_type: str) -> MediaKind | None:
    """Return the media type for a MIME type, with or without parameters; None if it isn't supported."""
    return _BY_TYPE.get(content_type.partition(";")[0].strip().lower())


def sniffed(head: bytes) -> MediaKind | None:
    """Detect the media type from the first HEAD_BYTES of a file, or fewer if it's shorter."""
    found = filetype.image_match(head) or filetype.video_match(head)
    kind = kind_of(found.mime) if found else None
    return kind if kind and head.startswith(kind.beginnings) else None
