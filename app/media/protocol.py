"""The protocol between `helper` and `worker`, and the results it carries.

The helper sends lines of JSON and receives a line of JSON for each. An answer contains ``done``, ``fault``
with a value of ``Fault`` or TOO_LARGE, or ``disk`` with the system's error message. An answer with ``bytes``
is followed by that many bytes. The command line contains no path. The worker ends when its input is closed.

* ``{"do": "probe", "path", "post_type", "whole"}``: ``done`` is a ``ProbeResult``.
* ``{"do": "thumbnail", "path", "post_type", "edge", "cover_ms"}``: the bytes are a JPEG; empty without one.
* ``{"do": "cover", "size", "ms"}``: the same, for a video that the helper reads. The worker first sends lines
  ``{"read": [first, size]}``, each answered with these bytes of the video.
* ``{"do": "copy", "path", "target", "recipe", "probed"}``: preceded by lines ``{"share": 0.5}`` with the
  progress.
* ``{"do": "open", "path"}``: ``done`` contains ``width``, ``height``, ``duration_ms`` and ``has_sound``.
* ``{"do": "at", "ms", "box": [width, height]}``: ``done`` is a ``Picture`` of the open video, and the bytes
  are its pixels.
"""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final, Self

PROGRAM: Final = "app.media.worker"
BACKGROUND: Final = "--background"
"""Argument of the program: runs it with low priority."""
TOO_LARGE: Final = "too large"
"""Value of ``fault`` if the file would take too much memory, or its copy can't be made small enough."""
PIECE_MAX: Final = 512 * 1024
"""Maximum number of bytes of a video per read."""

Line = dict[str, Any]
Answer = tuple[Line, bytes]
"""A line and the bytes that follow it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded frame of a video.

    Attributes:
        ms: Start of its display, in ms.
        width: Width in pixels, upright; so is ``height``.
        stride: Bytes per line.
        pixels: Blue, green, red and an unused byte per pixel, line by line from the top.
        is_last: Whether no frame follows.
    """

    ms: int
    width: int
    height: int
    stride: int
    pixels: bytes
    is_last: bool


class Fault(Enum):
    """Why a file can't be posted on any platform. The values are exchanged between programs."""

    UNREADABLE = "unreadable"
    """No decoder can read it."""
    CUT_OFF = "cut off"
    """It is truncated."""
    NO_PICTURE = "no picture"
    """It is a video with only sound."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A file's properties: displayed pixels, ms, and frames per second; None if unknown.

    Attributes:
        video_codec: Named as by FFmpeg, such as ``h264``; so is ``audio_codec``, empty for a silent video.
        is_moving: Whether an image has more than one frame.
        fault: Why the file can't be used, if so.
    """

    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    frame_rate: float | None = None
    is_moving: bool = False
    fault: Fault | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"fault": self.fault.value if self.fault else None}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        return cls(**(found | {"fault": Fault(found["fault"]) if found["fault"] else None}))
