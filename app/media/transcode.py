"""Copies of videos as MP4: remuxed if possible, otherwise re-encoded.

Blocking; only for `worker`. Memory use doesn't depend on the length of a video: a packet and a few frames at
a time.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import av
import av.filter
from av.audio.resampler import AudioResampler
from av.error import FFmpegError, InvalidDataError

from app.media.images import TooLargeError
from app.media.probe import open_video
from app.media.protocol import FEWEST_BITS, SOUND_BITS, ProbeResult, Recipe, video_bits

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer
    from av.packet import Packet

Progress = Callable[[float], None]
"""Receives the finished share of the work, from 0 to 1."""

_MP4: Final = {"movflags": "+faststart"}
"""Puts the index first, because platforms read it before the rest."""
_ENCODER: Final = "libx264"
_THREADS: Final = 2
_QUALITY: Final = "20"
_SPEED: Final = "veryfast"
_CLOCK: Final = Fraction(1, 90_000)
_SLACK_S: Final = 0.001
"""Tolerance for rounded times in files."""
_SOUND_RATE: Final = 48_000
_SOUND_PIECE: Final = 1024
"""Samples per AAC frame."""
_USUAL_RATE: Final = 30.0
_MOST_BITS: Final = 50_000_000
"""Maximum bit rate per second; this quality needs less."""
_TURNS: Final = {90: ("cclock",), 180: ("clock", "clock"), 270: ("clock",)}
"""Rotations that turn a frame upright, by its counterclockwise rotation in degrees."""


class _CannotKeepError(Exception):
    """A stream can't be remuxed, because its packets lack timestamps."""


class _Span:
    """The part of a video to copy, in s of the video's time; ``length`` None means to the end.

    ``waits``: it starts with the next packet, whatever its time.
    """

    def __init__(self, begin: float, length_ms: int | None) -> None:
        self.begin = begin
        self.length = None if length_ms is None else length_ms / 1000
        self.waits = False

    def meet(self, time: float) -> None:
        """Start here if the span is waiting for a packet."""
        if self.waits:
            self.begin, self.waits = time, False

    def is_over(self, time: float) -> bool:
        """Whether ``time`` is after the end of the span."""
        return self.length is not None and time > self.begin + self.length - _SLACK_S

    def offset(self, time_base: Fraction) -> int:
        """Return what to subtract from a stream's timestamps so that the copy starts at zero."""
        return round(Fraction(self.begin) / time_base)


class _Lane(Protocol):
    """Processes one stream. ``is_done``: no more packets are needed."""

    is_done: bool

    def take(self, packet: "Packet[Any]") -> None:
        """Process a packet; the last one is empty."""

    def finish(self) -> None:
        """Write what is left after the last packet."""


class _KeptLane:
    """Copies packets without re-encoding."""

    def __init__(self, stream: Any, written: "OutputContainer", span: _Span) -> None:
        self._out = written.add_stream_from_template(stream)
        self._written, self._span = written, span
        self.is_done = False

    def take(self, packet: "Packet[Any]") -> None:
        """Write a packet. Raises _CannotKeepError if it has no timestamps.

        Packets don't depend on later ones, so the first one after the end is the last to read.
        """
        if not packet.size:
            return
        if packet.pts is None or packet.dts is None or packet.time_base is None:
            raise _CannotKeepError
        time = float(packet.pts * packet.time_base)
        length = float((packet.duration or 0) * packet.time_base)
        if self._span.is_over(time + length):
            self.is_done = True
            return
        if time < self._span.begin - _SLACK_S:
            return
        offset = self._span.offset(packet.time_base)
        packet.pts, packet.dts = packet.pts - offset, packet.dts - offset
        packet.stream = self._out
        self._written.mux(packet)

    def finish(self) -> None:
        return


class _CodedLane:
    """Decodes packets, and re-encodes frames within the span after applying ``_changed``."""

    def __init__(self, written: "OutputContainer", span: _Span, out: Any) -> None:
        self._written, self._span, self._out = written, span, out
        self.is_done = False

    def take(self, packet: "Packet[Any]") -> None:
        try:
            frames = packet.decode()
        except InvalidDataError:
            return  # skip a bad frame
        for frame in frames:
            if frame.pts is None or frame.time_base is None:
                continue
            time = float(frame.pts * frame.time_base)
            if self._span.is_over(time + _last(frame)):
                self.is_done = True
                return
            if time >= self._span.begin - _SLACK_S:
                frame.pts -= self._span.offset(frame.time_base)
                self._encode(self._changed(frame))

    def finish(self) -> None:
        self._encode(self._rest())
        self._written.mux(self._out.encode())

    def _encode(self, frames: Iterable[Any]) -> None:
        for frame in frames:
            self._written.mux(self._out.encode(frame))

    def _changed(self, frame: Any) -> Iterable[Any]:
        raise NotImplementedError

    def _rest(self) -> Iterable[Any]:
        raise NotImplementedError


class _CodedPictures(_CodedLane):
    """Rotates, crops, scales and re-encodes frames as H.264."""

    def __init__(
        self,
        stream: "av.VideoStream",
        written: "OutputContainer",
        span: _Span,
        recipe: Recipe,
        probed: ProbeResult,
    ) -> None:
        stream.codec_context.thread_count = _THREADS
        self._recipe = recipe
        self._size = _even(recipe.size or (recipe.crop[2:] if recipe.crop else (probed.width, probed.height)))
        self._graph: av.filter.Graph | None = None
        self._shape: tuple[int, int, str] | None = None
        super().__init__(written, span, self._stream(written, probed))

    def _stream(self, written: "OutputContainer", probed: ProbeResult) -> "av.VideoStream":
        options = {"crf": _QUALITY, "preset": _SPEED}
        if (bits := video_bits(self._recipe, probed)) is not None:
            most = str(max(FEWEST_BITS, min(bits, _MOST_BITS)))
            options |= {"maxrate": most, "bufsize": most}
        rate = Fraction(self._recipe.frame_rate or probed.frame_rate or _USUAL_RATE).limit_denominator(1001)
        out = written.add_stream(_ENCODER, rate=rate, options=options)
        out.width, out.height = self._size
        out.pix_fmt = "yuv420p"
        out.codec_context.time_base = _CLOCK
        out.codec_context.thread_count = _THREADS
        return out

    def _changed(self, frame: "av.VideoFrame") -> Iterator["av.VideoFrame"]:
        shape = frame.width, frame.height, frame.format.name
        if shape != self._shape:
            yield from self._rest()
            self._graph, self._shape = self._filters(frame), shape
        assert self._graph is not None  # noqa: S101  made above
        self._graph.push(frame)
        yield from _pulled(self._graph)

    def _rest(self) -> Iterator["av.VideoFrame"]:
        if self._graph is not None:
            self._graph.push(None)
            yield from _pulled(self._graph)

    def _filters(self, frame: "av.VideoFrame") -> "av.filter.Graph":
        graph = av.filter.Graph()
        first = graph.add_buffer(
            width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base
        )
        middle = [graph.add(name, options) for name, options in self._named(frame)]
        graph.link_nodes(first, *middle, graph.add("buffersink")).configure()
        return graph

    def _named(self, frame: "av.VideoFrame") -> Iterator[tuple[str, str]]:
        for turn in _TURNS.get(frame.rotation % 360, ()):
            yield "transpose", turn
        if self._recipe.crop is not None:
            left, top, width, height = self._recipe.crop
            yield "crop", f"{width}:{height}:{left}:{top}:exact=1"
        width, height = self._size
        yield "scale", f"{width}:{height}:flags=bicubic"
        yield "setsar", "1"
        if self._recipe.frame_rate is not None:
            yield "fps", f"{self._recipe.frame_rate:g}"
        yield "format", "yuv420p"


class _CodedSound(_CodedLane):
    """Re-encodes audio as stereo AAC."""

    def __init__(self, written: "OutputContainer", span: _Span) -> None:
        out = written.add_stream("aac", rate=_SOUND_RATE)
        out.layout = "stereo"
        out.bit_rate = SOUND_BITS
        self._resampler = AudioResampler("fltp", "stereo", _SOUND_RATE, _SOUND_PIECE)
        super().__init__(written, span, out)

    def _changed(self, frame: Any) -> list["av.AudioFrame"]:
        # Use sample precision for timestamps: an AVI's only count whole packets.
        seconds = frame.pts * frame.time_base
        frame.pts, frame.time_base = round(seconds * frame.sample_rate), Fraction(1, frame.sample_rate)
        return self._resampler.resample(frame)

    def _rest(self) -> list["av.AudioFrame"]:
        return self._resampler.resample(None)


def _last(frame: Any) -> float:
    """Return the duration of a frame, in s."""
    return float((frame.duration or 0) * frame.time_base)


def _pulled(graph: "av.filter.Graph") -> Iterator["av.VideoFrame"]:
    while True:
        try:
            yield cast("av.VideoFrame", graph.pull())
        except (av.error.BlockingIOError, av.error.EOFError):
            return


def _even(size: tuple[int | None, ...]) -> tuple[int, int]:
    width, height = (max(2, (side or 2) // 2 * 2) for side in size)
    return width, height


def make_video(source: Path, target: Path, recipe: Recipe, probed: ProbeResult, progress: Progress) -> None:
    """Write the copy. Raises TooLargeError, or PyAV's errors.

    Re-encodes the video if its stream can't be copied, or the copy would be too large.
    """
    if not recipe.encodes_video:
        try:
            _make(source, target, recipe, probed, progress)
            if recipe.bytes_max is None or target.stat().st_size <= recipe.bytes_max:
                return
        except (_CannotKeepError, FFmpegError, ValueError):
            pass
        recipe = replace(recipe, encodes_video=True, encodes_sound=True)
    _make(source, target, recipe, probed, progress)
    if recipe.bytes_max is not None and target.stat().st_size > recipe.bytes_max:
        raise TooLargeError


def _make(source: Path, target: Path, recipe: Recipe, probed: ProbeResult, progress: Progress) -> None:
    with open_video(source) as opened, av.open(str(target), "w", format="mp4", options=_MP4) as written:
        span = _Span((opened.start_time or 0) / av.time_base + recipe.start_ms / 1000, recipe.length_ms)
        if recipe.start_ms:
            opened.seek(round(span.begin * av.time_base))
        span.waits = bool(recipe.start_ms) and not recipe.encodes_video
        lanes = _lanes(opened, written, recipe, probed, span)
        _drive(opened, lanes, span, _reporter(progress, span, probed))


def _lanes(
    opened: "InputContainer", written: "OutputContainer", recipe: Recipe, probed: ProbeResult, span: _Span
) -> dict[int, _Lane]:
    """Return a lane for each stream to copy, by index: the first video and the first audio stream."""
    pictures, sounds = opened.streams.video[0], opened.streams.audio
    if recipe.encodes_video:
        lanes: dict[int, _Lane] = {pictures.index: _CodedPictures(pictures, written, span, recipe, probed)}
    else:
        lanes = {pictures.index: _KeptLane(pictures, written, span)}
    if sounds:
        sound = sounds[0]
        coded = recipe.encodes_sound
        lanes[sound.index] = _CodedSound(written, span) if coded else _KeptLane(sound, written, span)
    return lanes


def _drive(
    opened: "InputContainer", lanes: dict[int, _Lane], span: _Span, report: Callable[[float], None]
) -> None:
    leading = next(iter(lanes))
    for packet in opened.demux([opened.streams[index] for index in lanes]):
        index = packet.stream.index
        if packet.pts is not None and packet.time_base is not None:
            time = float(packet.pts * packet.time_base)
            if index == leading:
                span.meet(time)
                report(time)
        if not (lanes[index].is_done or span.waits):
            lanes[index].take(packet)
        if all(lane.is_done for lane in lanes.values()):
            break
    for lane in lanes.values():
        lane.finish()


def _reporter(progress: Progress, span: _Span, probed: ProbeResult) -> Callable[[float], None]:
    """Return a function that reports progress up to a time; frames arrive out of display order."""
    total = (span.length or (probed.duration_ms or 0) / 1000) or 1.0
    furthest = 0.0

    def report(time: float) -> None:
        nonlocal furthest
        furthest = min(1.0, max(furthest, (time - span.begin) / total))
        progress(furthest)

    return report
