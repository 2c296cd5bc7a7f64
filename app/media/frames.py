"""Frames of videos, thumbnails and covers. Blocking; only for `worker`.

Memory use doesn't depend on the length of a video: two frames and a packet at a time.
"""

import io
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO, Final

import av
from av.error import FFmpegError, InvalidDataError
from PIL import Image, ImageOps

from app.contract.enums import PostType
from app.media.probe import STORED_PIXELS_MAX, is_bounded, open_image, open_video
from app.media.protocol import Picture

COVER_EDGE: Final = 1920
"""Maximum width or height of a cover, in pixels."""
COVER_BYTES_MAX: Final = 2_000_000
"""Maximum size of a cover, in bytes: YouTube's limit."""
_COVER_QUALITIES: Final = (90, 80, 65, 45)
_THUMBNAIL_QUALITY: Final = 82
_SIDE_MAX: Final = 16_384
_PIXELS_MAX: Final = 64_000_000
"""Larger images, even after the decoder's own downscaling, would take hundreds of megabytes."""
_PACKETS_MAX: Final = 120
"""A video without a frame in its first packets has none."""
_THREADS: Final = 2
_AHEAD_S: Final = 2.0
"""Frames further ahead are seeked to, in s."""
_USUAL_RATE: Final = 30.0
_FORMAT: Final = "bgra"
_BYTES: Final = 4
"""Bytes per pixel: blue, green, red, and an unused one."""


class NoPictureError(Exception):
    """The file contains only sound, or nothing that can be displayed here."""


class VideoReader:
    """An open video. Nearby frames are reached by decoding, others by seeking.

    ``size`` is the displayed size; ``duration_ms`` is None if the file doesn't say.
    """

    def __init__(self, source: Path | BinaryIO, side_max: int | None = None) -> None:
        """Open a video. Raises NoPictureError, also above ``side_max``, or PyAV's errors."""
        with ExitStack() as opened:
            self._container = opened.enter_context(open_video(source))
            self._read_beginning(side_max)
            self._opened = opened.pop_all()

    def _read_beginning(self, side_max: int | None) -> None:
        if not self._container.streams.video:
            raise NoPictureError
        self._stream = self._container.streams.video[0]
        coded = self._stream.codec_context
        if side_max is not None and max(coded.width, coded.height) > side_max:
            raise NoPictureError
        self._stream.thread_type = "AUTO"
        self._stream.codec_context.thread_count = _THREADS
        self._start = (self._container.start_time or 0) / av.time_base
        self._step = 1 / float(self._stream.average_rate or _USUAL_RATE)
        self._frames = self._decoded()
        first = next(self._frames, None)
        if first is None:
            raise NoPictureError
        self._shown, self._at = first, 0.0
        self._next: av.VideoFrame | None = None
        self._rotation = self._shown.rotation % 360
        self.size = self._upright(*self._square(self._shown))
        duration = self._container.duration
        self.duration_ms = None if duration is None else round(duration * 1000 / av.time_base)
        self.has_sound = bool(self._container.streams.audio)

    def at(self, ms: int, box: tuple[int, int]) -> Picture:
        """Return the frame at a position, scaled down to fit into ``box`` pixels.

        If it can't be decoded, returns the one before. Raises PyAV's errors.
        """
        wanted = ms / 1000
        if wanted < self._at or wanted > self._at + _AHEAD_S:
            self._jump(wanted)
        while (following := self._peek()) is not None and self._time(following) <= wanted:
            self._show(following)
        return self._picture(box, is_last=following is None)

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def _peek(self) -> "av.VideoFrame | None":
        if self._next is None:
            self._next = next(self._frames, None)
        return self._next

    def _jump(self, seconds: float) -> None:
        """Seek to the last keyframe before a position."""
        try:
            self._container.seek(round((self._start + max(0.0, seconds)) * av.time_base))
        except FFmpegError:
            return  # some files can't be seeked
        self._frames = self._decoded()
        self._at = 0.0
        self._show(next(self._frames, self._shown))

    def _show(self, frame: "av.VideoFrame") -> None:
        self._at = self._time(frame)
        self._shown, self._next = frame, None

    def _decoded(self) -> "Iterator[av.VideoFrame]":
        """Yield all frames that can be decoded from here on, skipping bad packets."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
                frames = packet.decode()
            except StopIteration:
                return
            except InvalidDataError:
                continue
            yield from frames

    def _time(self, frame: "av.VideoFrame") -> float:
        """Seconds from the beginning; a frame without a timestamp follows the one before."""
        if frame.pts is None:
            return self._at + self._step
        return max(0.0, frame.time - self._start)

    def _square(self, frame: "av.VideoFrame") -> tuple[int, int]:
        """Size with square pixels."""
        shape = self._stream.sample_aspect_ratio or 1
        return max(1, round(frame.width * shape)), frame.height

    def _upright(self, width: int, height: int) -> tuple[int, int]:
        return (height, width) if self._rotation % 180 else (width, height)

    def _picture(self, box: tuple[int, int], *, is_last: bool) -> Picture:
        frame = self._shown
        width, height = self._square(frame)
        most = self._upright(*box)
        share = min(1.0, most[0] / width, most[1] / height)
        sides = max(1, round(width * share)), max(1, round(height * share))
        ms = round(self._at * 1000)
        if self._rotation:
            turned: Image.Image = frame.reformat(*sides, format="rgb24").to_image()  # type: ignore[no-untyped-call]
            turned = turned.rotate(self._rotation, expand=True)
            pixels = turned.tobytes("raw", "BGRX")
            return Picture(ms, *turned.size, turned.width * _BYTES, pixels, is_last)
        plane = frame.reformat(*sides, format=_FORMAT).planes[0]
        return Picture(ms, *sides, plane.line_size, bytes(plane), is_last)


def thumbnail(file: Path, post_type: PostType, edge: int, cover_ms: int | None = None) -> bytes | None:
    """Return a JPEG of an image, or of a video's frame, at most ``edge`` pixels wide and high.

    Without a position, uses the first frame that can be displayed. Returns None for a file that can't be
    read, or would take too much memory.
    """
    try:
        if post_type is not PostType.VIDEO:
            picture = _of_image(file, edge)
        elif cover_ms:
            picture = _of_moment(file, cover_ms, edge)
        else:
            picture = _of_video(file, edge)
        return None if picture is None else _as_jpeg(_flat(picture), _THUMBNAIL_QUALITY)
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return None


def cover(file: BinaryIO, ms: int) -> bytes | None:
    """Return a JPEG of a video's frame that every platform accepts; None if it can't be read."""
    try:
        picture = _of_moment(file, ms, COVER_EDGE)
        made = (_as_jpeg(picture, quality) for quality in _COVER_QUALITIES)
        return next((one for one in made if len(one) <= COVER_BYTES_MAX), None)
    except Exception:  # noqa: BLE001  decoders raise all kinds of errors
        return None


def _of_image(file: Path, edge: int) -> Image.Image | None:
    with open_image(file) as image:
        if not is_bounded(image, STORED_PIXELS_MAX):
            return None
        image.draft("RGB", (edge, edge))  # lets the JPEG decoder skip unneeded detail
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
            if number >= _PACKETS_MAX:
                break
    return None


def _of_moment(source: Path | BinaryIO, ms: int, edge: int) -> Image.Image:
    with closing(VideoReader(source, _SIDE_MAX)) as reader:
        found = reader.at(ms, (edge, edge))
    size = found.width, found.height
    return Image.frombuffer("RGB", size, found.pixels, "raw", "BGRX", found.stride, 1)


def _flat(picture: Image.Image) -> Image.Image:
    """Put a transparent image on white, like most platforms do."""
    if not picture.has_transparency_data:
        return picture
    flat = Image.new("RGBA", picture.size, "white")
    flat.alpha_composite(picture.convert("RGBA"))
    return flat


def _as_jpeg(picture: Image.Image, quality: int) -> bytes:
    written = io.BytesIO()
    picture.convert("RGB").save(written, "JPEG", quality=quality)
    return written.getvalue()
