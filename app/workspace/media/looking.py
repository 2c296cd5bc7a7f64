"""Small pictures of image and video files, made by their decoders. Blocking; for ``repair.worker`` alone."""

import io
from contextlib import closing
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps

from app.contract.enums import PostType
from app.workspace.media.thumbnails import EDGE
from app.workspace.repair.looking import STORED_PIXELS_MAX, is_bounded, open_picture, open_video

_PIXELS_MAX: Final = 64_000_000
"""What has more, once the decoder itself has made it smaller, would take hundreds of megabytes."""
_SIDE_MAX: Final = 16_384
_FRAMES_MAX: Final = 120
"""A video without a frame that can be shown among these has none."""
_QUALITY: Final = 82


def small_picture(
    file: Path, post_type: PostType, edge: int = EDGE, cover_ms: int | None = None
) -> bytes | None:
    """A JPEG of an image, or of a moment of a video, none of its sides longer than ``edge``.

    Without a moment it is the first picture that can be shown. None for a file that cannot be read, or that
    would take too much memory.
    """
    try:
        if post_type is not PostType.VIDEO:
            picture = _of_image(file, edge)
        else:
            picture = _of_moment(file, edge, cover_ms) if cover_ms else _of_video(file, edge)
        return _as_jpeg(picture) if picture is not None else None
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return None


def _of_image(file: Path, edge: int) -> Image.Image | None:
    with open_picture(file) as image:
        if not is_bounded(image, STORED_PIXELS_MAX):
            return None
        image.draft("RGB", (edge, edge))  # a JPEG decoder leaves out what is not wanted
        if image.width * image.height > _PIXELS_MAX:
            return None
        image.thumbnail((edge, edge))
        return ImageOps.exif_transpose(image)


def _of_video(file: Path, edge: int) -> Image.Image | None:
    with open_video(file) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        if max(stream.codec_context.width, stream.codec_context.height) > _SIDE_MAX:
            return None
        for number, packet in enumerate(container.demux(stream)):
            for frame in packet.decode():
                share = min(1.0, edge / max(frame.width, frame.height))
                sides = max(1, round(frame.width * share)), max(1, round(frame.height * share))
                picture: Image.Image = frame.reformat(*sides, format="rgb24").to_image()  # type: ignore[no-untyped-call]
                return picture.rotate(frame.rotation, expand=True)
            if number >= _FRAMES_MAX:
                break
    return None


def _of_moment(file: Path, edge: int, ms: int) -> Image.Image | None:
    from app.workspace.video.reader import VideoReader

    with closing(VideoReader(file)) as reader:
        if max(reader.size) > _SIDE_MAX:
            return None
        seen = reader.at(ms, (edge, edge))
    size = seen.width, seen.height
    return Image.frombuffer("RGB", size, seen.pixels, "raw", "BGRX", seen.stride, 1)


def _as_jpeg(picture: Image.Image) -> bytes:
    """On white where it is transparent, as most platforms show it."""
    flat = picture
    if picture.has_transparency_data:
        flat = Image.new("RGBA", picture.size, "white")
        flat.alpha_composite(picture.convert("RGBA"))
    written = io.BytesIO()
    flat.convert("RGB").save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()
