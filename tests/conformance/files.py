"""Small valid files: an image and a video."""

import io
from functools import cache
from typing import Any, Final

import av
from PIL import Image

_SIDE: Final = 640
_FRAMES: Final = 72
_RATE: Final = 24


@cache
def png() -> bytes:
    """Return a grey image under 10 kB."""
    file = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), "#808080").save(file, "PNG")
    return file.getvalue()


@cache
def mp4() -> bytes:
    """Return a grey video of three seconds under 100 kB."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=_RATE)
        stream.width = stream.height = _SIDE
        stream.pix_fmt = "yuv420p"
        frame = av.VideoFrame(_SIDE, _SIDE, "yuv420p")
        for plane in frame.planes:
            plane.update(b"\x80" * plane.buffer_size)
        for number in range(_FRAMES):
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return file.getvalue()


def asked(**changes: object) -> dict[str, Any]:
    """Return a valid body for an upload URL, with changes."""
    return {"filename": "grey.png", "content_type": "image/png", "size_bytes": len(png()), **changes}
