"""Opening untrusted files: only in supported formats, and within limits. Blocking."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from app.contract.enums import PostType
from app.contract.media_kinds import HEAD_BYTES, sniffed

if TYPE_CHECKING:
    import av
    import av.container
    from PIL import Image

SIDE_MAX: Final = 65_535
DECODED_PIXELS_MAX: Final = 100_000_000
"""Larger images aren't decoded: one takes 300 MB, plus copies."""
STORED_PIXELS_MAX: Final = 400_000_000
"""Larger JPEGs aren't even decoded at a reduced size, which would take many seconds."""
PROGRESSIVE_PIXELS_MAX: Final = 40_000_000

_VIDEO_FORMATS: Final = "mov,matroska,webm,avi"
_IMAGE_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "HEIF", "AVIF")


def is_bounded(image: "Image.Image", stored_max: int) -> bool:
    """Whether an image can be decoded, possibly at a reduced size, within memory and time limits.

    The stored size counts too: the decoder of a progressive JPEG keeps every coefficient, even for a small
    result.
    """
    most = PROGRESSIVE_PIXELS_MAX if image.info.get("progressive") else stored_max
    return image.width * image.height <= most


def open_image(path: Path) -> "Image.Image":
    """Open an image in a supported format and read its header. Raises Pillow's errors."""
    import pi_heif  # type: ignore[import-untyped]
    from PIL import Image

    pi_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None  # our own limit is checked before every decoding
    return Image.open(path, formats=_IMAGE_FORMATS)


@contextmanager
def open_video(source: Path | BinaryIO) -> "Iterator[av.container.InputContainer]":
    """Open a video, which can't refer to other files. Raises ValueError, or PyAV's errors.

    Some of FFmpeg's many formats are lists of other files. Only video formats are tried, and the reader gets
    the file's bytes and no way to open anything else.
    """
    import av

    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        kind = sniffed(file.read(HEAD_BYTES))
        if kind is None or kind.post_type is not PostType.VIDEO:
            raise ValueError("no video")
        file.seek(0)
        options = {"protocol_whitelist": "none", "format_whitelist": _VIDEO_FORMATS}
        try:
            container = av.open(file, "r", options=options)
        except UnicodeDecodeError:
            # Before version 19, PyAV requires titles in UTF-8 unless it has an error handler.
            file.seek(0)
            container = av.open(file, "r", options=options, metadata_errors="replace")
        with container:
            yield container
