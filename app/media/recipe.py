"""Recipes for converted copies that platforms accept."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from math import floor
from typing import Any, Final, NamedTuple, Self

from app.media.protocol import ProbeResult

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
