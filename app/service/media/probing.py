"""Looking into files: pixels, duration, codecs. A program of its own: a bad file may take its reader down.

``python -m app.service.media.probing`` reads lines ``{"path": ..., "kind": "image" | "video"}`` and answers
each with a line ``{"width": ..., "height": ..., ...}`` of ``Facts``, null where nobody can tell.
"""

import json
import signal
import sys
from pathlib import Path
from typing import Final, TypedDict

from app.children.modest import limit_memory

MEMORY_BYTES: Final = 2 * 1024**3
"""A file that wants more than this gets an error, where the system can do that."""

_SIDE_MAX: Final = 65_535
_ORIENTATION: Final = 0x0112
_TURNED: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that lay a picture on its side."""
VIDEO_FORMATS: Final = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi"
"""What FFmpeg calls the kinds of videos that are taken; it tries no other one."""
_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "HEIF", "AVIF")


class Facts(TypedDict):
    """What a file turned out to be: pixels as shown, milliseconds, frames a second.

    Attributes:
        video_codec: As decoders call it, such as ``h264``; so is ``audio_codec``, empty for a silent video.
    """

    width: int | None
    height: int | None
    duration_ms: int | None
    video_codec: str | None
    audio_codec: str | None
    frame_rate: float | None


NOTHING: Final = Facts(
    width=None, height=None, duration_ms=None, video_codec=None, audio_codec=None, frame_rate=None
)


def probe(file: Path, kind: str) -> Facts:
    """Reads a file's headers; of a file that cannot be read nothing is known. Blocking."""
    try:
        facts = _image(file) if kind == "image" else _video(file)
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return NOTHING
    sides = facts["width"] or 0, facts["height"] or 0
    return facts if all(0 < side <= _SIDE_MAX for side in sides) else NOTHING


def _image(file: Path) -> Facts:
    import pi_heif  # type: ignore[import-untyped]
    from PIL import Image

    pi_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None  # nothing is decoded: a header may claim what it likes
    with Image.open(file, formats=_FORMATS) as image:
        width, height = image.size
        turned = image.format == "JPEG" and image.getexif().get(_ORIENTATION) in _TURNED
    return {**NOTHING, **_sides(width, height, turned=turned)}


def _video(file: Path) -> Facts:
    import av

    # The bytes alone, and only as a kind of file that is taken: playlists and the like name other files.
    options = {"protocol_whitelist": "none", "format_whitelist": VIDEO_FORMATS}
    with file.open("rb") as bytes_, av.open(bytes_, "r", options=options) as container:
        stream, sounds = container.streams.video[0], container.streams.audio
        stream.codec_context.thread_count = 1
        width, height = stream.codec_context.width, stream.codec_context.height
        duration = None if container.duration is None else round(container.duration * 1000 / av.time_base)
        frame = next(container.decode(stream), None)
        turned = frame is not None and frame.rotation % 180 != 0
        return Facts(
            **_sides(width, height, turned=turned),
            duration_ms=duration,
            video_codec=stream.codec_context.codec.canonical_name,
            audio_codec=sounds[0].codec_context.codec.canonical_name if sounds else "",
            frame_rate=round(float(stream.average_rate), 3) if stream.average_rate else None,
        )


class _Sides(TypedDict):
    width: int
    height: int


def _sides(width: int, height: int, *, turned: bool) -> _Sides:
    return _Sides(width=height, height=width) if turned else _Sides(width=width, height=height)


def main() -> None:
    """Answers until stdin closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the service, which then closes our stdin
    limit_memory(MEMORY_BYTES)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(probe(Path(asked["path"]), asked["kind"])), flush=True)  # noqa: T201  the answer


if __name__ == "__main__":
    main()
