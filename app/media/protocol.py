"""The protocol between `helper` and `worker`: probes, pictures, faults, and recipes for copies.

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

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from math import floor
from typing import Any, Final, NamedTuple, Self

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


JPEG, PNG, MP4 = "image/jpeg", "image/png", "video/mp4"
SOUND_BITS: Final = 160_000
"""Bit rate of re-encoded audio, per second."""
FEWEST_BITS: Final = 100_000
"""Minimum bit rate of re-encoded video, per second; less would show nothing."""
SPARE: Final = 0.94
"""Share of the allowed size to plan with."""


class Step(Enum):
    """Steps of a recipe, in the order in which they are displayed."""

    FIRST_PICTURE = "first picture"
    CROP = "crop"
    TRIM = "trim"
    SHRINK = "shrink"
    FRAME_RATE = "frame rate"
    CONVERT = "convert"
    COMPRESS = "compress"


class Crop(NamedTuple):
    """A rectangle of the displayed picture, in pixels."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a copy. Values that are None or False mean no change.

    Attributes:
        content_type: Type of the copy: JPEG or PNG for an image, MP4 for a video.
        crop: The rectangle to keep.
        size: Width and height of the copy, in pixels.
        start_ms: Start of a video's copy; without re-encoding, at the last keyframe before it.
        length_ms: Maximum duration of a video's copy.
        bytes_max: Maximum size of the copy.
        frame_rate: Frames per second.
        encodes_video: Whether to re-encode the video stream instead of copying it.
        encodes_sound: Whether to re-encode the audio stream.
        is_first_picture: Whether to keep only the first frame of an animated image.
        converts: Whether the copy has another format or codec than the file.
        compresses: Whether the file is too large for its format.
    """

    content_type: str
    crop: Crop | None = None
    size: tuple[int, int] | None = None
    start_ms: int = 0
    length_ms: int | None = None
    bytes_max: int | None = None
    frame_rate: float | None = None
    encodes_video: bool = False
    encodes_sound: bool = False
    is_first_picture: bool = False
    converts: bool = False
    compresses: bool = False

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the recipe, for display."""
        return tuple(self._steps())

    def _steps(self) -> Iterator[Step]:
        done = {
            Step.FIRST_PICTURE: self.is_first_picture,
            Step.CROP: self.crop is not None,
            Step.TRIM: self.length_ms is not None,
            Step.SHRINK: self.size is not None,
            Step.FRAME_RATE: self.frame_rate is not None,
            Step.CONVERT: self.converts,
            Step.COMPRESS: self.compresses,
        }
        return (step for step, is_done in done.items() if is_done)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"crop": self.crop}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        crop, size = values["crop"], values["size"]
        return cls(**values | {"crop": Crop(*crop) if crop else None, "size": tuple(size) if size else None})


def video_bits(recipe: Recipe, probed: ProbeResult) -> int | None:
    """Maximum bit rate of a re-encoded video stream; None for no limit."""
    length = recipe.length_ms or probed.duration_ms
    if recipe.bytes_max is None or not length:
        return None
    sound = 0 if probed.audio_codec == "" else SOUND_BITS
    return floor(recipe.bytes_max * 8 * SPARE / (length / 1000)) - sound
