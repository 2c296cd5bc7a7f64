"""Tiny real files of every kind, and bytes that only pretend."""

import io
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, cast

import av
from PIL import Image

HTML = b"<!doctype html><script>alert(1)</script>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


@cache
def image(
    kind: str = "PNG", width: int = 40, height: int = 30, colour: str = "teal", **options: Any
) -> bytes:
    """One picture in a format of Pillow's."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(file, kind, **options)
    return file.getvalue()


@cache
def turned_jpeg(width: int, height: int) -> bytes:
    """A picture that says that it lies on its side."""
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    Image.new("RGB", (width, height)).save(file, "JPEG", exif=exif)
    return file.getvalue()


def _grey(width: int, height: int) -> av.VideoFrame:
    """A frame that is the same each time: a new one holds whatever was in memory."""
    frame = av.VideoFrame(width, height, "yuv420p")
    for plane in frame.planes:
        plane.update(b"\x80" * plane.buffer_size)
    return frame


@cache
def video(
    container: str = "mp4",
    codec: str = "mpeg4",
    width: int = 64,
    height: int = 48,
    frames: int = 5,
    rate: Fraction | int = 10,
    *,
    sound: bool = False,
) -> bytes:
    """Half a second of nothing much, at 10 frames a second; with ``sound`` there is silence to hear."""
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = cast("av.VideoStream", output.add_stream(codec, rate=rate))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        if sound:
            _add_silence(output)
        for _ in range(frames):
            for packet in stream.encode(_grey(width, height)):
                output.mux(packet)
        for packet in stream.encode():
            output.mux(packet)
    return file.getvalue()


def _add_silence(output: av.container.OutputContainer) -> None:
    stream = output.add_stream("aac", rate=48_000)
    frame = av.AudioFrame(format="fltp", layout="stereo", samples=1024)
    frame.sample_rate = 48_000
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    for packet in (*stream.encode(frame), *stream.encode()):
        output.mux(packet)


SAMPLES: dict[str, Callable[[], bytes]] = {
    "image/jpeg": lambda: image("JPEG"),
    "image/png": lambda: image("PNG"),
    "image/gif": lambda: image("GIF"),
    "image/webp": lambda: image("WEBP"),
    "image/avif": lambda: image("AVIF"),
    "video/mp4": lambda: video("mp4"),
    "video/quicktime": lambda: video("mov"),
    "video/webm": lambda: video("webm", "vp8"),
    "video/x-matroska": lambda: video("matroska"),
    "video/x-msvideo": lambda: video("avi"),
}
"""A file of each kind that is taken and that can be made here (nothing here writes HEIC)."""
