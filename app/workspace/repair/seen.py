"""What was found inside a file."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Self

from app.language import tr

if TYPE_CHECKING:
    from app.workspace.rules import MediaFacts


class Fault(Enum):
    """Why a file cannot be posted whatever the platform. The values travel between programs."""

    UNREADABLE = "unreadable"
    """No decoder makes anything of it."""
    CUT_OFF = "cut off"
    """Its end is missing."""
    NO_PICTURE = "no picture"
    """A video that holds sound alone."""


_SENTENCES = {
    Fault.UNREADABLE: tr("“{name}” is damaged or has the wrong type. Export it again and add the new file."),
    Fault.CUT_OFF: tr("“{name}” is incomplete. Copy or download it again, then add it again."),
    Fault.NO_PICTURE: tr("“{name}” contains only audio. Choose a video or an image."),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look inside found: pixels as shown, milliseconds, frames a second; None where nobody can tell.

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

    def facts(self, content_type: str, size: int) -> "MediaFacts":
        """What the platforms' rules need to know; ``size`` in bytes."""
        from app.workspace.rules import MediaFacts  # the program that looks inside starts without them

        return MediaFacts(
            content_type,
            size,
            width=self.width,
            height=self.height,
            duration_ms=self.duration_ms,
            video_codec=self.video_codec,
            audio_codec=self.audio_codec,
            frame_rate=self.frame_rate,
        )

    def problem(self, name: str) -> str:
        """The fault as a sentence about a file of this name; empty without one."""
        return _SENTENCES[self.fault].format(name=name) if self.fault else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"fault": self.fault.value if self.fault else None}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        return cls(**(found | {"fault": Fault(found["fault"]) if found["fault"] else None}))
