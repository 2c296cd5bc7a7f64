"""The pictures of a video at any moment of it. Blocking; for ``worker`` alone.

Memory stays bounded whatever the length: two pictures and a packet at a time.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import av
from av.error import FFmpegError, InvalidDataError

from app.workspace.repair.looking import open_video
from app.workspace.video.picture import Picture

if TYPE_CHECKING:
    from PIL import Image

_THREADS: Final = 2
_AHEAD_S: Final = 2.0
"""What is further ahead is jumped to."""
_USUAL_RATE: Final = 30.0
_FORMAT: Final = "bgra"
_BYTES: Final = 4
"""Of a pixel: blue, green, red, and one of no meaning."""


class NoPictureError(Exception):
    """The file holds sound alone, or nothing that can be shown."""


class VideoReader:
    """One opened video; forward it is decoded picture by picture, elsewhere it is jumped to.

    ``size`` is how large it is shown, ``duration_ms`` is None where the file does not say.
    """

    def __init__(self, path: Path) -> None:
        """Raises NoPictureError, or what PyAV raises."""
        with ExitStack() as opened:
            self._container = opened.enter_context(open_video(path))
            self._read_beginning()
            self._opened = opened.pop_all()

    def _read_beginning(self) -> None:
        if not self._container.streams.video:
            raise NoPictureError
        self._stream = self._container.streams.video[0]
        self._stream.thread_type = "AUTO"
        self._stream.codec_context.thread_count = _THREADS
        self._start = (self._container.start_time or 0) / av.time_base
        self._step = 1 / float(self._stream.average_rate or _USUAL_RATE)
        self._frames = self._decoded()
        first = next(self._frames, None)
        if first is None:
            raise NoPictureError
        self._shown, self._at = first, 0.0
        self._next: av.VideoFrame | None = None
        self._rotation = self._shown.rotation % 360
        self.size = self._upright(*self._square(self._shown))
        duration = self._container.duration
        self.duration_ms = None if duration is None else round(duration * 1000 / av.time_base)
        self.has_sound = bool(self._container.streams.audio)

    def at(self, ms: int, box: tuple[int, int]) -> Picture:
        """The picture that shows at a moment, made so small that it fits into ``box`` pixels.

        Where nothing can be read it is the one before. Raises what PyAV raises.
        """
        wanted = ms / 1000
        if wanted < self._at or wanted > self._at + _AHEAD_S:
            self._jump(wanted)
        while (following := self._peek()) is not None and self._time(following) <= wanted:
            self._show(following)
        return self._picture(box, is_last=following is None)

    def close(self) -> None:
        """Lets go of the file."""
        self._opened.close()

    def _peek(self) -> "av.VideoFrame | None":
        if self._next is None:
            self._next = next(self._frames, None)
        return self._next

    def _jump(self, seconds: float) -> None:
        """To the last picture before that moment which can be decoded by itself."""
        try:
            self._container.seek(round((self._start + max(0.0, seconds)) * av.time_base))
        except FFmpegError:
            return  # some files can only be read forward
        self._frames = self._decoded()
        self._at = 0.0
        self._show(next(self._frames, self._shown))

    def _show(self, frame: "av.VideoFrame") -> None:
        self._at = self._time(frame)
        self._shown, self._next = frame, None

    def _decoded(self) -> "Iterator[av.VideoFrame]":
        """Every picture that can be decoded from here on; a bad packet is one picture less."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
                frames = packet.decode()
            except StopIteration:
                return
            except InvalidDataError:
                continue
            yield from frames

    def _time(self, frame: "av.VideoFrame") -> float:
        """Seconds from the beginning; a picture that does not say it follows the one that shows."""
        if frame.pts is None:
            return self._at + self._step
        return max(0.0, frame.time - self._start)

    def _square(self, frame: "av.VideoFrame") -> tuple[int, int]:
        """Its sides where every pixel is as wide as it is high."""
        shape = self._stream.sample_aspect_ratio or 1
        return max(1, round(frame.width * shape)), frame.height

    def _upright(self, width: int, height: int) -> tuple[int, int]:
        return (height, width) if self._rotation % 180 else (width, height)

    def _picture(self, box: tuple[int, int], *, is_last: bool) -> Picture:
        frame = self._shown
        width, height = self._square(frame)
        most = self._upright(*box)
        share = min(1.0, most[0] / width, most[1] / height)
        sides = max(1, round(width * share)), max(1, round(height * share))
        ms = round(self._at * 1000)
        if self._rotation:
            turned: Image.Image = frame.reformat(*sides, format="rgb24").to_image()  # type: ignore[no-untyped-call]
            turned = turned.rotate(self._rotation, expand=True)
            pixels = turned.tobytes("raw", "BGRX")
            return Picture(ms, *turned.size, turned.width * _BYTES, pixels, is_last)
        plane = frame.reformat(*sides, format=_FORMAT).planes[0]
        return Picture(ms, *sides, plane.line_size, bytes(plane), is_last)
