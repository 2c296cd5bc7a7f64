"""Pictures of a video at any moment, and small pictures of files. Blocking; for `worker` alone.

Memory stays bounded however long a video is: two pictures and a packet at a time.
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
from app.media.opening import STORED_PIXELS_MAX, is_bounded, open_image, open_video
from app.media.picture import Picture

COVER_EDGE: Final = 1920
"""The longest side of a cover, in pixels."""
COVER_BYTES_MAX: Final = 2_000_000
"""Largest cover, in bytes: YouTube takes no more."""
_COVER_QUALITIES: Final = (90, 80, 65, 45)
_THUMBNAIL_QUALITY: Final = 82
_SIDE_MAX: Final = 16_384
_PIXELS_MAX: Final = 64_000_000
"""An image with more, once the decoder itself has made it smaller, would take hundreds of megabytes."""
_PACKETS_MAX: Final = 120
"""A video without a picture in its first packets has none."""
_THREADS: Final = 2
_AHEAD_S: Final = 2.0
"""What is further ahead is jumped to."""
_USUAL_RATE: Final = 30.0
_FORMAT: Final = "bgra"
_BYTES: Final = 4
"""Of a pixel: blue, green, red, and one of no meaning."""


class NoPictureError(Exception):
    """The file holds sound alone, or nothing that can be shown here."""


class VideoReader:
    """One opened video; forward it is decoded picture by picture, elsewhere it is jumped to.

    ``size`` is how large it is shown, ``duration_ms`` is None where the file does not say.
    """

    def __init__(self, source: Path | BinaryIO, side_max: int | None = None) -> None:
        """Raises NoPictureError, also where a side is longer than ``side_max``, or what PyAV raises."""
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
        """The picture that shows at a moment, made so small that it fits into ``box`` pixels.

        Where nothing can be read it is the one before. Raises what PyAV raises.
        """
        wanted = ms / 1000
        if wanted < self._at or wanted > self._at + _AHEAD_S:
            self._jump(wanted)
        while (following := self._peek()) is not None and self._time(following) <= wanted:
            self._show(following)
        return self._picture(box, is_last=following is None)

    def close(self) -> None:
        """Lets go of the file."""
        self._opened.close()

    def _peek(self) -> "av.VideoFrame | None":
        if self._next is None:
            self._next = next(self._frames, None)
        return self._next

    def _jump(self, seconds: float) -> None:
        """To the last picture before that moment which can be decoded by itself."""
        try:
            self._container.seek(round((self._start + max(0.0, seconds)) * av.time_base))
        except FFmpegError:
            return  # some files can only be read forward
        self._frames = self._decoded()
        self._at = 0.0
        self._show(next(self._frames, self._shown))

    def _show(self, frame: "av.VideoFrame") -> None:
        self._at = self._time(frame)
        self._shown, self._next = frame, None

    def _decoded(self) -> "Iterator[av.VideoFrame]":
        """Every picture that can be decoded from here on; a bad packet is one picture less."""
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
        """Seconds from the beginning; a picture that does not say it follows the one that shows."""
        if frame.pts is None:
            return self._at + self._step
        return max(0.0, frame.time - self._start)

    def _square(self, frame: "av.VideoFrame") -> tuple[int, int]:
        """Its sides where every pixel is as wide as it is high."""
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
    """Make a JPEG of an image, or of a moment of a video, with no side longer than ``edge`` pixels.

    Without a moment it is the first picture that can be shown. None for a file that cannot be read, or that
    would take too much memory.
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
    """Make a JPEG of a moment of a video that every platform takes; None for one that cannot be read."""
    try:
        picture = _of_moment(file, ms, COVER_EDGE)
        made = (_as_jpeg(picture, quality) for quality in _COVER_QUALITIES)
        return next((one for one in made if len(one) <= COVER_BYTES_MAX), None)
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return None


def _of_image(file: Path, edge: int) -> Image.Image | None:
    with open_image(file) as image:
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
            if number >= _PACKETS_MAX:
                break
    return None


def _of_moment(source: Path | BinaryIO, ms: int, edge: int) -> Image.Image:
    with closing(VideoReader(source, _SIDE_MAX)) as reader:
        found = reader.at(ms, (edge, edge))
    size = found.width, found.height
    return Image.frombuffer("RGB", size, found.pixels, "raw", "BGRX", found.stride, 1)


def _flat(picture: Image.Image) -> Image.Image:
    """On white where it is transparent, as most platforms show it."""
    if not picture.has_transparency_data:
        return picture
    flat = Image.new("RGBA", picture.size, "white")
    flat.alpha_composite(picture.convert("RGBA"))
    return flat


def _as_jpeg(picture: Image.Image, quality: int) -> bytes:
    written = io.BytesIO()
    picture.convert("RGB").save(written, "JPEG", quality=quality)
    return written.getvalue()
