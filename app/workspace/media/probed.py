"""What a probe means: a sentence for the user, facts for the platforms' rules."""

from typing import Final

from app.language import tr
from app.media.probe_result import Fault, ProbeResult
from app.workspace.rules import MediaFacts

_SENTENCES: Final = {
    Fault.UNREADABLE: tr("“{name}” is damaged or has the wrong type. Export it again and add the new file."),
    Fault.CUT_OFF: tr("“{name}” is incomplete. Copy or download it again, then add it again."),
    Fault.NO_PICTURE: tr("“{name}” contains only audio. Choose a video or an image."),
}


def problem_with(probed: ProbeResult, name: str) -> str:
    """Return what is wrong with a file, in a sentence with its name; empty if nothing is."""
    return _SENTENCES[probed.fault].format(name=name) if probed.fault else ""


def media_facts(probed: ProbeResult, content_type: str, size: int) -> MediaFacts:
    """Return the facts that the platforms' rules need; ``size`` in bytes."""
    return MediaFacts(
        content_type,
        size,
        width=probed.width,
        height=probed.height,
        duration_ms=probed.duration_ms,
        video_codec=probed.video_codec,
        audio_codec=probed.audio_codec,
        frame_rate=probed.frame_rate,
    )
