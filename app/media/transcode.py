"""Copies of videos as MP4: the same bits where that will do, else encoded again.

Blocking; for `worker` alone. Memory stays bounded however long a video is: a packet and a few pictures at a
time.
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
from app.media.opening import open_video
from app.media.probe_result import ProbeResult
from app.media.recipe import FEWEST_BITS, SOUND_BITS, Recipe, video_bits

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer
    from av.packet import Packet

Progress = Callable[[float], None]
"""Hears how much is done, from 0 to 1."""

_MP4: Final = {"movflags": "+faststart"}
"""The index first: platforms read it before the rest."""
_ENCODER: Final = "libx264"
_THREADS: Final = 2
_QUALITY: Final = "20"
_SPEED: Final = "veryfast"
_CLOCK: Final = Fraction(1, 90_000)
_SLACK_S: Final = 0.001
"""Times in files are rounded."""
_SOUND_RATE: Final = 48_000
_SOUND_PIECE: Final = 1024
"""Samples that AAC codes at a time."""
_USUAL_RATE: Final = 30.0
_MOST_BITS: Final = 50_000_000
"""A second; pictures of this quality need fewer."""
_TURNS: Final = {90: ("cclock",), 180: ("clock", "clock"), 270: ("clock",)}
"""How a picture is turned upright, by the degrees against the clock that it asks for."""


class _CannotKeepError(Exception):
    """The bits say too little to be put into another file."""


class _Span:
    """The part of a video that is copied, in seconds of its own time; ``length`` None: to the end.

    ``waits``: it begins with the next picture, whenever that is.
    """

    def __init__(self, begin: float, length_ms: int | None) -> None:
        self.begin = begin
        self.length = None if length_ms is None else length_ms / 1000
        self.waits = False

    def meet(self, time: float) -> None:
        """Here is a picture."""
        if self.waits:
            self.begin, self.waits = time, False

    def is_over(self, time: float) -> bool:
        """Whether what ends at ``time`` is too late."""
        return self.length is not None and time > self.begin + self.length - _SLACK_S

    def offset(self, time_base: Fraction) -> int:
        """What is taken from a stream's times, so that the copy begins at nothing."""
        return round(Fraction(self.begin) / time_base)


class _Lane(Protocol):
    """One stream on its way; ``is_done``: nothing that follows is wanted."""

    is_done: bool

    def take(self, packet: "Packet[Any]") -> None:
        """One more packet, or the empty one that comes last."""

    def finish(self) -> None:
        """Nothing follows."""


class _KeptLane:
    """Takes packets over as they are."""

    def __init__(self, stream: Any, written: "OutputContainer", span: _Span) -> None:
        self._out = written.add_stream_from_template(stream)
        self._written, self._span = written, span
        self.is_done = False

    def take(self, packet: "Packet[Any]") -> None:
        """Raises _CannotKeepError for a packet that does not say when it is shown.

        A packet needs none of those that follow: the first one after the end may be the last one read.
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
    """Unpacks packets, and puts what is within the span through ``_changed`` and an encoder."""

    def __init__(self, written: "OutputContainer", span: _Span, out: Any) -> None:
        self._written, self._span, self._out = written, span, out
        self.is_done = False

    def take(self, packet: "Packet[Any]") -> None:
        try:
            frames = packet.decode()
        except InvalidDataError:
            return  # one picture less
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
    """Pictures turned upright, cut, made smaller, and coded as H.264."""

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
    """Sound coded as AAC, in two channels."""

    def __init__(self, written: "OutputContainer", span: _Span) -> None:
        out = written.add_stream("aac", rate=_SOUND_RATE)
        out.layout = "stereo"
        out.bit_rate = SOUND_BITS
        self._resampler = AudioResampler("fltp", "stereo", _SOUND_RATE, _SOUND_PIECE)
        super().__init__(written, span, out)

    def _changed(self, frame: Any) -> list["av.AudioFrame"]:
        # Times are told as finely as sound is: those of an AVI count whole packets.
        seconds = frame.pts * frame.time_base
        frame.pts, frame.time_base = round(seconds * frame.sample_rate), Fraction(1, frame.sample_rate)
        return self._resampler.resample(frame)

    def _rest(self) -> list["av.AudioFrame"]:
        return self._resampler.resample(None)


def _last(frame: Any) -> float:
    """How long a frame is shown or heard, in seconds."""
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
    """Writes the copy. Raises TooLargeError, or what PyAV raises.

    What cannot be taken over bit by bit, or is too large so, is encoded again.
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
        _drive(opened, lanes, span, _told(progress, span, probed))


def _lanes(
    opened: "InputContainer", written: "OutputContainer", recipe: Recipe, probed: ProbeResult, span: _Span
) -> dict[int, _Lane]:
    """What becomes of each stream, by its index; the first pictures and the first sound are enough."""
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
    opened: "InputContainer", lanes: dict[int, _Lane], span: _Span, told: Callable[[float], None]
) -> None:
    leading = next(iter(lanes))
    for packet in opened.demux([opened.streams[index] for index in lanes]):
        index = packet.stream.index
        if packet.pts is not None and packet.time_base is not None:
            time = float(packet.pts * packet.time_base)
            if index == leading:
                span.meet(time)
                told(time)
        if not (lanes[index].is_done or span.waits):
            lanes[index].take(packet)
        if all(lane.is_done for lane in lanes.values()):
            break
    for lane in lanes.values():
        lane.finish()


def _told(progress: Progress, span: _Span, probed: ProbeResult) -> Callable[[float], None]:
    """Tells how far a time is; pictures come in another order than they are shown."""
    total = (span.length or (probed.duration_ms or 0) / 1000) or 1.0
    furthest = 0.0

    def told(time: float) -> None:
        nonlocal furthest
        furthest = min(1.0, max(furthest, (time - span.begin) / total))
        progress(furthest)

    return told
