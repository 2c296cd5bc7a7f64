"""The picture of one moment of a video. A program of its own: a bad file may take its reader down.

``python -m app.service.media.framing SIZE MS`` is given the video piece by piece, wherever that lies: it
writes lines ``read FIRST SIZE`` and gets just these bytes. Its last line is ``picture SIZE``, and a JPEG
follows; of a video that cannot be read that is empty.
"""

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Final

from app.children.modest import limit_memory
from app.service.media.probing import MEMORY_BYTES, VIDEO_FORMATS

if TYPE_CHECKING:
    import av
    from av.container import InputContainer
    from PIL import Image

EDGE: Final = 1920
"""The longest side of a picture, in pixels."""
BYTES_MAX: Final = 2_000_000
"""What every platform takes: YouTube takes no more."""
PIECE_MAX: Final = 512 * 1024
"""The most that is asked for at once."""
_SIDE_MAX: Final = 16_384
_THREADS: Final = 2
_QUALITIES: Final = (90, 80, 65, 45)


class _Lent(io.RawIOBase):
    """A file whose bytes somebody else hands over."""

    def __init__(self, size: int, answers: BinaryIO, asks: BinaryIO) -> None:
        self._size = size
        self._answers = answers
        self._asks = asks
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # of whatever buffer
        size = max(0, min(len(buffer), PIECE_MAX, self._size - self._at))
        if size:
            self._asks.write(f"read {self._at} {size}\n".encode())
            self._asks.flush()
            piece = self._answers.read(size)
            size = len(piece)
            buffer[:size] = piece
            self._at += size
        return size


def picture_at(file: BinaryIO, ms: int) -> bytes | None:
    """The picture that shows at a moment of a video, as a JPEG; None where there is none. Blocking."""
    import av

    try:
        # A file that names others gets none of them, and isn't a video of an accepted kind.
        options = {"protocol_whitelist": "none", "format_whitelist": VIDEO_FORMATS}
        with av.open(file, "r", options=options) as container:
            frame = _frame(container, ms / 1000)
            shape = container.streams.video[0].sample_aspect_ratio or 1
            return None if frame is None else _as_jpeg(_upright(frame, float(shape)))
    except Exception:  # noqa: BLE001  decoders fail in every way there is
        return None


def _frame(container: "InputContainer", seconds: float) -> "av.VideoFrame | None":
    """The last picture that is not after the moment; at its end the last one of all."""
    import av
    from av.error import FFmpegError

    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    stream.codec_context.thread_count = _THREADS
    if max(stream.codec_context.width, stream.codec_context.height) > _SIDE_MAX:
        return None
    wanted = (container.start_time or 0) / av.time_base + seconds
    with suppress(FFmpegError):  # some files can only be read forward
        container.seek(round(wanted * av.time_base))
    shown = None
    for frame in _decoded(container):
        is_later = frame.pts is not None and frame.time > wanted
        if shown is not None and is_later:
            break
        shown = frame
    return shown


def _decoded(container: "InputContainer") -> "Iterator[av.VideoFrame]":
    """Every picture that can be decoded; a bad packet is one picture less."""
    from av.error import InvalidDataError

    for packet in container.demux(container.streams.video[0]):
        with suppress(InvalidDataError):
            yield from packet.decode()


def _upright(frame: "av.VideoFrame", shape: float) -> "Image.Image":
    """As it is shown: pixels of such a ``shape`` made square, turned as the file says, and not too large."""
    width = max(1, round(frame.width * shape))
    share = min(1.0, EDGE / max(width, frame.height))
    sides = max(1, round(width * share)), max(1, round(frame.height * share))
    picture: Image.Image = frame.reformat(*sides, format="rgb24").to_image()  # type: ignore[no-untyped-call]
    return picture.rotate(frame.rotation, expand=True)


def _as_jpeg(picture: "Image.Image") -> bytes | None:
    for quality in _QUALITIES:
        written = io.BytesIO()
        picture.save(written, "JPEG", quality=quality)
        if written.tell() <= BYTES_MAX:
            return written.getvalue()
    return None


def main() -> None:
    """Asks for what it needs of the video, and answers with the picture."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the service, which then ends this program
    limit_memory(MEMORY_BYTES)
    size, ms = map(int, sys.argv[1:])
    asks = sys.stdout.buffer
    lent = _Lent(size, sys.stdin.buffer, asks)
    picture = picture_at(io.BufferedReader(lent, PIECE_MAX), ms) or b""
    asks.write(f"picture {len(picture)}\n".encode() + picture)
    asks.flush()


if __name__ == "__main__":
    main()
