"""Opening and probing untrusted files. Blocking; only for `worker`."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from app.contract.enums import PostType
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.media.protocol import Fault, ProbeResult

if TYPE_CHECKING:
    import av
    import av.container
    from PIL import Image

SIDE_MAX: Final = 65_535
DECODED_PIXELS_MAX: Final = 100_000_000
"""Larger images aren't decoded: one takes 300 MB, plus copies."""
STORED_PIXELS_MAX: Final = 400_000_000
"""Larger JPEGs aren't even decoded at a reduced size, which would take many seconds."""
PROGRESSIVE_PIXELS_MAX: Final = 40_000_000

_VIDEO_FORMATS: Final = "mov,matroska,webm,avi"
_IMAGE_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "HEIF", "AVIF")


def is_bounded(image: "Image.Image", stored_max: int) -> bool:
    """Whether an image can be decoded, possibly at a reduced size, within memory and time limits.

    The stored size counts too: the decoder of a progressive JPEG keeps every coefficient, even for a small
    result.
    """
    most = PROGRESSIVE_PIXELS_MAX if image.info.get("progressive") else stored_max
    return image.width * image.height <= most


def open_image(path: Path) -> "Image.Image":
    """Open an image in a supported format and read its header. Raises Pillow's errors."""
    import pi_heif  # type: ignore[import-untyped]
    from PIL import Image

    pi_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None  # our own limit is checked before every decoding
    return Image.open(path, formats=_IMAGE_FORMATS)


@contextmanager
def open_video(source: Path | BinaryIO) -> "Iterator[av.container.InputContainer]":
    """Open a video, which can't refer to other files. Raises ValueError, or PyAV's errors.

    Some of FFmpeg's many formats are lists of other files. Only video formats are tried, and the reader gets
    the file's bytes and no way to open anything else.
    """
    import av

    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        kind = sniffed(file.read(HEAD_BYTES))
        if kind is None or kind.post_type is not PostType.VIDEO:
            raise ValueError("no video")
        file.seek(0)
        options = {"protocol_whitelist": "none", "format_whitelist": _VIDEO_FORMATS}
        try:
            container = av.open(file, "r", options=options)
        except UnicodeDecodeError:
            # Before version 19, PyAV requires titles in UTF-8 unless it has an error handler.
            file.seek(0)
            container = av.open(file, "r", options=options, metadata_errors="replace")
        with container:
            yield container


_ORIENTATION: Final = 0x0112
_TURNED: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that rotate a picture by 90 or 270 degrees."""
_GLANCE: Final = 16
"""Approximate size to which a JPEG is decoded to check that it is complete, in pixels."""
_MISSING: Final = 0.05
"""A video without picture or sound for this share of its duration at the end is truncated."""
_MISSING_S: Final = 0.5
"""Minimum of that, in s; the last frame may also be displayed for a while."""
_ISO_HEAD: Final = 16
_HEAD: Final = 8


def probe(path: Path, post_type: PostType, *, whole: bool) -> ProbeResult:
    """Probe a file; decoder errors become a ``fault``.

    With ``whole``, a truncated file has a fault too, which takes longer to detect. Otherwise, only headers
    and a video's first frame are read.
    """
    try:
        if whole and lacks_end(path):
            return ProbeResult(fault=Fault.CUT_OFF)
        result = _video(path, whole=whole) if post_type is PostType.VIDEO else _image(path, whole=whole)
    except Exception:  # noqa: BLE001  decoders raise all kinds of errors
        return ProbeResult(fault=Fault.UNREADABLE)
    sides = result.width or 0, result.height or 0
    if result.fault or all(0 < side <= SIDE_MAX for side in sides):
        return result
    return ProbeResult(fault=Fault.UNREADABLE)


def _image(path: Path, *, whole: bool) -> ProbeResult:
    with open_image(path) as image:
        width, height = image.size
        if image.format == "JPEG" and image.getexif().get(_ORIENTATION) in _TURNED:
            width, height = height, width
        if not whole:
            return ProbeResult(width=width, height=height)
        moving = bool(getattr(image, "is_animated", False))
        if not _is_whole(image):
            return ProbeResult(fault=Fault.CUT_OFF)
        return ProbeResult(width=width, height=height, is_moving=moving)


def _is_whole(image: "Image.Image") -> bool:
    if not is_bounded(image, STORED_PIXELS_MAX):
        return True  # too large to check
    image.draft(None, (_GLANCE, _GLANCE))
    if image.width * image.height > DECODED_PIXELS_MAX:
        return True  # too large to check
    try:
        image.load()
    except OSError as error:
        if "truncated" in str(error):
            return False
        raise
    return True


def _video(path: Path, *, whole: bool) -> ProbeResult:
    import av

    with open_video(path) as container:
        if not container.streams.video:
            return ProbeResult(fault=Fault.NO_PICTURE)
        stream, sounds = container.streams.video[0], container.streams.audio
        stream.codec_context.thread_count = 1
        width, height = stream.codec_context.width, stream.codec_context.height
        frame = next(container.decode(stream), None)
        if frame is not None:
            width, height = frame.width, frame.height
            if frame.rotation % 180:
                width, height = height, width
        elif whole:
            return ProbeResult(fault=Fault.CUT_OFF)
        duration = None if container.duration is None else container.duration / av.time_base
        rate = stream.average_rate
        if whole and duration is not None and not _has_end(container, duration, float(rate or 1)):
            return ProbeResult(fault=Fault.CUT_OFF)
        return ProbeResult(
            width=width,
            height=height,
            duration_ms=None if duration is None else round(duration * 1000),
            video_codec=stream.codec_context.codec.canonical_name,
            audio_codec=sounds[0].codec_context.codec.canonical_name if sounds else "",
            frame_rate=round(float(rate), 3) if rate else None,
        )


def _has_end(container: "av.container.InputContainer", duration: float, rate: float) -> bool:
    """Whether a video can be read up to the duration in its headers, in s; ``rate`` is per second."""
    import av

    start = (container.start_time or 0) / av.time_base
    missing = max(_MISSING_S + 1 / rate, _MISSING * duration)
    container.seek(round((start + max(0.0, duration - missing)) * av.time_base))
    return max(_ends(container), default=start) >= start + duration - missing


def _ends(container: "av.container.InputContainer") -> Iterator[float]:
    """Yield the end of each readable packet, in s."""
    try:
        for packet in container.demux([*container.streams.video, *container.streams.audio]):
            if packet.pts is not None and not packet.is_corrupt:
                yield float((packet.pts + (packet.duration or 0)) * packet.time_base)
    except OSError:  # PyAV's input errors are OSErrors
        return


def lacks_end(path: Path) -> bool:
    """Whether a file is shorter than its outermost boxes say. Raises OSError.

    Supports MP4, MOV, HEIC and AVIF (ISO/IEC 14496-12), AVI and WebP (RIFF). False for all others.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if head[4:8] == b"ftyp":
            return _end_of_boxes(file, size) > size
        if head[:4] == b"RIFF":
            return _HEAD + int.from_bytes(head[4:8], "little") > size
    return False


def _end_of_boxes(file: BinaryIO, size: int) -> int:
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(_ISO_HEAD)
        length = int.from_bytes(head[:4], "big")
        if length == 1:  # a large box, with its size in eight bytes
            length = int.from_bytes(head[8:16], "big")
        if length < _HEAD:
            break  # the last box, up to the end; or not a box at all
        at += length
    return at
