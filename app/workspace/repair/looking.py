"""Looking into files: pixels, length, codecs, and whether all is there. Blocking; for ``worker`` alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.contract.enums import PostType
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.workspace.repair.boxes import lacks_end
from app.workspace.repair.seen import Fault, Seen

if TYPE_CHECKING:
    import av
    import av.container
    from PIL import Image

SIDE_MAX: Final = 65_535
DECODED_PIXELS_MAX: Final = 100_000_000
"""A picture with more is not unpacked: it would take 300 MB and some copies of that."""

STORED_PIXELS_MAX: Final = 400_000_000
"""A JPEG with more is not even unpacked to a small picture: it would take many seconds."""
PROGRESSIVE_PIXELS_MAX: Final = 40_000_000

_VIDEO_FORMATS: Final = "mov,matroska,webm,avi"
_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "HEIF", "AVIF")
_ORIENTATION: Final = 0x0112
_TURNED: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that lay a picture on its side."""
_GLANCE: Final = 16
"""To see whether a JPEG is whole, it is unpacked to this many pixels a side, or a little more."""
_MISSING: Final = 0.05
"""A video that has nothing to show or to be heard for this share of it before it is over has lost its end."""
_MISSING_S: Final = 0.5
"""The least that counts; and the last picture may be shown for some time."""


def look_into(path: Path, content_type: str) -> Seen:
    """What is inside a file; whatever goes wrong in a decoder is a ``fault``."""
    try:
        if lacks_end(path):
            return Seen(fault=Fault.CUT_OFF)
        seen = _picture(path) if content_type.startswith("image/") else _video(path)
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return Seen(fault=Fault.UNREADABLE)
    sides = seen.width or 0, seen.height or 0
    return seen if seen.fault or all(0 < side <= SIDE_MAX for side in sides) else Seen(fault=Fault.UNREADABLE)


def is_bounded(image: "Image.Image", stored_max: int) -> bool:
    """Whether a picture can be unpacked, maybe smaller than it is stored, without too much memory and time.

    What is stored counts, too: of a progressive JPEG the decoder keeps every coefficient, however small a
    picture is wanted.
    """
    most = PROGRESSIVE_PIXELS_MAX if image.info.get("progressive") else stored_max
    return image.width * image.height <= most


def open_picture(path: Path) -> "Image.Image":
    """An image of a kind that is taken, with its header read. Raises what Pillow raises."""
    import pi_heif  # type: ignore[import-untyped]
    from PIL import Image

    pi_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None  # our own limit stands before every place that unpacks
    return Image.open(path, formats=_FORMATS)


@contextmanager
def open_video(path: Path) -> "Iterator[av.container.InputContainer]":
    """A video of this computer, which may name no other file. Raises ValueError, or what PyAV raises.

    Of the many formats that FFmpeg reads some are lists of other files. Only those of videos are tried, and
    the reader gets the file's bytes and no way to open anything.
    """
    import av

    with path.open("rb") as file:
        kind = sniffed(file.read(HEAD_BYTES))
        if kind is None or kind.post_type is not PostType.VIDEO:
            raise ValueError("no video")
        file.seek(0)
        options = {"protocol_whitelist": "none", "format_whitelist": _VIDEO_FORMATS}
        try:
            container = av.open(file, "r", options=options)
        except (
            UnicodeDecodeError
        ):  # before version 19 it insists on titles in UTF-8 unless it has an error handler
            file.seek(0)
            container = av.open(file, "r", options=options, metadata_errors="replace")
        with container:
            yield container


def _picture(path: Path) -> Seen:
    with open_picture(path) as image:
        width, height = image.size
        if image.format == "JPEG" and image.getexif().get(_ORIENTATION) in _TURNED:
            width, height = height, width
        moving = bool(getattr(image, "is_animated", False))
        seen = Seen(width=width, height=height, is_moving=moving)
        return seen if _is_whole(image) else Seen(fault=Fault.CUT_OFF)


def _is_whole(image: "Image.Image") -> bool:
    if not is_bounded(image, STORED_PIXELS_MAX):
        return True  # nobody can tell
    image.draft(None, (_GLANCE, _GLANCE))
    if image.width * image.height > DECODED_PIXELS_MAX:
        return True  # nobody can tell
    try:
        image.load()
    except OSError as error:
        if "truncated" in str(error):
            return False
        raise
    return True


def _video(path: Path) -> Seen:
    import av

    with open_video(path) as container:
        if not container.streams.video:
            return Seen(fault=Fault.NO_PICTURE)
        stream, sounds = container.streams.video[0], container.streams.audio
        stream.codec_context.thread_count = 1
        frame = next(container.decode(stream), None)
        if frame is None:
            return Seen(fault=Fault.CUT_OFF)
        width, height = frame.width, frame.height
        if frame.rotation % 180:
            width, height = height, width
        duration = None if container.duration is None else container.duration / av.time_base
        if duration is not None and not _has_end(container, duration, float(stream.average_rate or 1)):
            return Seen(fault=Fault.CUT_OFF)
        return Seen(
            width=width,
            height=height,
            duration_ms=None if duration is None else round(duration * 1000),
            video_codec=stream.codec_context.codec.canonical_name,
            audio_codec=sounds[0].codec_context.codec.canonical_name if sounds else "",
            frame_rate=round(float(stream.average_rate), 3) if stream.average_rate else None,
        )


def _has_end(container: "av.container.InputContainer", duration: float, rate: float) -> bool:
    """Whether what the headers promise can be read to its end; in seconds and in pictures a second."""
    import av

    start = (container.start_time or 0) / av.time_base
    missing = max(_MISSING_S + 1 / rate, _MISSING * duration)
    container.seek(round((start + max(0.0, duration - missing)) * av.time_base))
    return max(_ends(container), default=start) >= start + duration - missing


def _ends(container: "av.container.InputContainer") -> Iterator[float]:
    """When each packet that can be read is over, in seconds."""
    try:
        for packet in container.demux([*container.streams.video, *container.streams.audio]):
            if packet.pts is not None and not packet.is_corrupt:
                yield float((packet.pts + (packet.duration or 0)) * packet.time_base)
    except OSError:  # PyAV's errors of input are all of this kind
        return
