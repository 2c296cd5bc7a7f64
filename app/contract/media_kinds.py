"""The kinds of files that are taken, and telling them by their first bytes."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import filetype  # type: ignore[import-untyped]

from app.contract.enums import PostType

HEAD_BYTES: Final = 8192
"""How many bytes at the beginning of a file are enough to tell its kind."""


@dataclass(frozen=True, slots=True)
class MediaKind:
    """One kind of file.

    Attributes:
        content_type: Its MIME type, in lower case.
        post_type: The posts that can carry it: images or videos.
        extensions: Usual endings of its file names, the first one first.
        aliases: Other MIME types that people and programs use for it.
        beginnings: What it must begin with, where the sniffing library looks at fewer bytes than there are.
    """

    content_type: str
    post_type: PostType
    extensions: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = (b"",)

    @property
    def extension(self) -> str:
        """The ending that a file of this kind gets."""
        return self.extensions[0]


# Not here on purpose: svg and html run scripts; bmp and mpeg are told by too few bytes.
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
    """The kind that a MIME type names, with or without parameters; None for what is not taken."""
    return _BY_TYPE.get(content_type.partition(";")[0].strip().lower())


def sniffed(head: bytes) -> MediaKind | None:
    """The kind that the first bytes of a file show, HEAD_BYTES of them where there are so many."""
    found = filetype.image_match(head) or filetype.video_match(head)
    kind = kind_of(found.mime) if found else None
    return kind if kind and head.startswith(kind.beginnings) else None
