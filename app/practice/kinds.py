"""Detecting file types from their bytes."""

from pathlib import Path

from PIL import Image, UnidentifiedImageError

_MAGIC = (
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)


def kind_of(start: bytes) -> str | None:
    """Return the media type of a file with these first bytes; None if unknown."""
    return next((kind for place, magic, kind in _MAGIC if start[place:].startswith(magic)), None)


def dimensions(path: Path) -> tuple[int, int]:
    """Return width and height of an image in pixels; zeros if it isn't one."""
    try:
        with Image.open(path) as picture:
            return picture.size
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return 0, 0
