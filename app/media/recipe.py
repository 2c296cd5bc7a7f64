"""What is done to make a copy of a file that platforms take."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from math import floor
from typing import Any, Final, NamedTuple, Self

from app.media.probe_result import ProbeResult

JPEG, PNG, MP4 = "image/jpeg", "image/png", "video/mp4"
SOUND_BITS: Final = 160_000
"""A second of sound, encoded again."""
FEWEST_BITS: Final = 100_000
"""A second of pictures: fewer would show nothing."""
SPARE: Final = 0.94
"""How much of the bytes that are allowed is planned with."""


class Step(Enum):
    """What a person is told of a recipe, in this order."""

    FIRST_PICTURE = "first picture"
    CROP = "crop"
    TRIM = "trim"
    SHRINK = "shrink"
    FRAME_RATE = "frame rate"
    CONVERT = "convert"
    COMPRESS = "compress"


class Crop(NamedTuple):
    """A part of a picture, in pixels as shown."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the copy is made. What is None or false stays as it is.

    Attributes:
        content_type: Of the copy: JPEG or PNG for an image, MP4 for a video.
        crop: The part that is kept.
        size: Width and height of the copy in pixels.
        start_ms: Where the copy of a video begins; without encoding again, at the last picture before it
            that can begin a video.
        length_ms: How long the copy of a video is at most.
        bytes_max: How large the copy may be.
        frame_rate: Frames a second.
        encodes_video: The pictures are encoded again; else they are taken over bit by bit.
        encodes_sound: The same of the sound.
        is_first_picture: Of a moving image, only its first picture is kept.
        converts: The copy is of another kind, or coded in another way, than the file.
        compresses: The file is too large for what it is.
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
        """What is done, for people."""
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
    def from_json(cls, told: dict[str, Any]) -> Self:
        crop, size = told["crop"], told["size"]
        return cls(**told | {"crop": Crop(*crop) if crop else None, "size": tuple(size) if size else None})


def video_bits(recipe: Recipe, probed: ProbeResult) -> int | None:
    """Most bits a second for the pictures of a video that is encoded again; None for no limit."""
    length = recipe.length_ms or probed.duration_ms
    if recipe.bytes_max is None or not length:
        return None
    sound = 0 if probed.audio_codec == "" else SOUND_BITS
    return floor(recipe.bytes_max * 8 * SPARE / (length / 1000)) - sound
