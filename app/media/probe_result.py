"""What a probe of a file found."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Self


class Fault(Enum):
    """Why a file cannot be posted whatever the platform. The values travel between programs."""

    UNREADABLE = "unreadable"
    """No decoder makes anything of it."""
    CUT_OFF = "cut off"
    """Its end is missing."""
    NO_PICTURE = "no picture"
    """A video that holds sound alone."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What is inside a file: pixels as shown, milliseconds, frames a second; None where nobody can tell.

    Attributes:
        video_codec: As decoders call it, such as ``h264``; so is ``audio_codec``, empty for a silent video.
        is_moving: An image that has more than one picture.
        fault: What makes the file useless; None when nothing does.
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
