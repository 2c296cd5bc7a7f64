"""Real files that keep to what a platform takes: pictures and videos that decoders read, of any size."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final, cast

import av
from PIL import Image

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import FILES

MIB: Final = 1024 * 1024
SEVERAL_PARTS: Final = 9 * MIB + 5
"""More than any platform takes of a video in one piece, but TikTok."""

_SECONDS: Final = 5
_RATE: Final = 24
_NOISE: Final = hashlib.shake_128(b"noise").digest(MIB + 7)
_CONTAINERS: Final = {
    "video/mp4": ("mp4", "libx264"),
    "video/quicktime": ("mov", "libx264"),
    "video/webm": ("webm", "libvpx"),
    "video/x-matroska": ("matroska", "libx264"),
    "video/x-msvideo": ("avi", "mpeg4"),
}
PICTURES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
VIDEOS: Final = ("video/mp4", "video/quicktime", "video/webm")


@dataclass(frozen=True)
class Sample:
    """A file as somebody would choose it."""

    content_type: str
    width: int
    height: int
    size: int = 0
    """Bytes at least; 0: as many as there are."""

    @property
    def name(self) -> str:
        return f"{self.content_type.partition('/')[2]} {self.width}x{self.height}"

    @property
    def filename(self) -> str:
        return "holiday." + self.content_type.partition("/")[2].replace("quicktime", "mov")

    @property
    def content(self) -> bytes:
        make = _picture if self.content_type.startswith("image/") else _video
        return make(self.content_type, self.width, self.height, self.size)


def taken(platform: PostingPlatform, post_type: PostType) -> Iterator[Sample]:
    """One file of every content type that the rules let in, and an upright video beside the others."""
    rules = FILES[platform, post_type]
    known = PICTURES if post_type is PostType.IMAGE else VIDEOS
    missing = rules.content_types - set(known)
    assert not missing, f"no sample of {missing}: make one here"
    chosen = [kind for kind in known if kind in rules.content_types or not rules.content_types]
    if post_type is PostType.IMAGE:
        yield from (Sample(kind, 640, 480) for kind in chosen)
        return
    yield from (Sample(kind, 640, 360, SEVERAL_PARTS) for kind in chosen)
    yield Sample(chosen[0], 540, 960, SEVERAL_PARTS)


@cache
def _picture(content_type: str, width: int, height: int, size: int) -> bytes:
    file = io.BytesIO()
    noise = (_NOISE * (3 * width * height // len(_NOISE) + 1))[: 3 * width * height]
    Image.frombytes("RGB", (width, height), noise).save(file, content_type.partition("/")[2])
    assert file.tell() >= size
    return file.getvalue()


@cache
def _video(content_type: str, width: int, height: int, size: int) -> bytes:
    """Five seconds in grey, filled up to its size by a part that players skip."""
    container, codec = _CONTAINERS[content_type]
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = cast("av.VideoStream", output.add_stream(codec, rate=_RATE))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = Fraction(1, _RATE)
        stream.thread_count = 1  # several wait for each other, at the cost of all cores
        if codec == "libx264":
            stream.options = {"preset": "ultrafast"}
        for number in range(_SECONDS * _RATE):
            frame = _grey(width, height, number)
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
    content = file.getvalue()
    return content + _skipped(container, size - len(content))


def _grey(width: int, height: int, number: int) -> av.VideoFrame:
    frame = av.VideoFrame(width, height, "yuv420p")
    for plane, shade in zip(frame.planes, (16 + number % 200, 128, 128), strict=True):
        plane.update(bytes([shade]) * plane.buffer_size)
    frame.pts = number
    return frame


def _skipped(container: str, size: int) -> bytes:
    """A box of MP4, or an element of WebM, that holds nothing of the video."""
    if size < 16:
        return b""
    filling = (_NOISE * (size // len(_NOISE) + 1))[:size]
    if container == "webm":
        return b"\xec" + (size - 9 | 1 << 56).to_bytes(8, "big") + filling[9:]
    return size.to_bytes(4, "big") + b"free" + filling[8:]
