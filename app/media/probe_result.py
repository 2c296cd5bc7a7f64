"""The result of probing a file."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Self


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
