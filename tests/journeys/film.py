"""Makes a video of a given size quickly, by repeating one second of noise."""

import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path

import av
from av.packet import Packet

_WIDTH, _HEIGHT, _RATE = 720, 1280, 24
_FRAME = Fraction(1, _RATE)


def film(path: Path, size: int) -> Path:
    """Write a vertical MP4 of at least ``size`` bytes. Blocking."""
    with av.open(path, "w", format="mp4") as output:
        stream = output.add_stream("libx264", rate=_RATE)
        stream.width, stream.height, stream.pix_fmt = _WIDTH, _HEIGHT, "yuv420p"
        stream.options = {"preset": "ultrafast", "tune": "zerolatency", "qp": "44"}
        second = list(_noise(stream))
        written = 0
        for number in count():
            packet = Packet(bytes(second[number % _RATE]))
            packet.stream, packet.time_base = stream, _FRAME
            packet.pts = packet.dts = number
            packet.is_keyframe = number % _RATE == 0
            output.mux(packet)
            written += packet.size
            if written >= size:
                return path
    raise AssertionError("counting never ends")


def _noise(stream: av.VideoStream) -> "Iterator[Packet[av.VideoStream]]":
    """Yield the frames of one second; the first is a key frame."""
    for number in range(_RATE):
        frame = av.VideoFrame(_WIDTH, _HEIGHT, "yuv420p")
        for plane in frame.planes:
            plane.update(os.urandom(plane.buffer_size))
        frame.pts = number
        yield from stream.encode(frame)
    yield from stream.encode()
