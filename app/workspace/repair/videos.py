"""Copies of videos: the same bits in an MP4 where that will do, else coded anew. Blocking.

Memory stays bounded whatever the length: a packet and a few pictures at a time.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import av
from av.error import FFmpegError

from app.workspace.repair.lanes import CannotKeepError, CodedPictures, CodedSound, KeptLane, Lane, Span
from app.workspace.repair.looking import open_video
from app.workspace.repair.pictures import TooLargeError
from app.workspace.repair.recipe import Recipe
from app.workspace.repair.seen import Seen

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer

Progress = Callable[[float], None]
"""Hears how much is done, from 0 to 1."""

_MP4: Final = {"movflags": "+faststart"}
"""The index first: platforms read it before the rest."""


def make_video(source: Path, target: Path, recipe: Recipe, seen: Seen, progress: Progress) -> None:
    """Writes the copy. Raises TooLargeError, or what PyAV raises.

    What cannot be taken over bit by bit, or is too large so, is coded anew.
    """
    if not recipe.encodes_video:
        try:
            _make(source, target, recipe, seen, progress)
            if recipe.bytes_max is None or target.stat().st_size <= recipe.bytes_max:
                return
        except (CannotKeepError, FFmpegError, ValueError):
            pass
        recipe = replace(recipe, encodes_video=True, encodes_sound=True)
    _make(source, target, recipe, seen, progress)
    if recipe.bytes_max is not None and target.stat().st_size > recipe.bytes_max:
        raise TooLargeError


def _make(source: Path, target: Path, recipe: Recipe, seen: Seen, progress: Progress) -> None:
    with open_video(source) as opened, av.open(str(target), "w", format="mp4", options=_MP4) as written:
        span = Span((opened.start_time or 0) / av.time_base + recipe.start_ms / 1000, recipe.length_ms)
        if recipe.start_ms:
            opened.seek(round(span.begin * av.time_base))
        span.waits = bool(recipe.start_ms) and not recipe.encodes_video
        lanes = _lanes(opened, written, recipe, seen, span)
        _drive(opened, lanes, span, _told(progress, span, seen))


def _lanes(
    opened: "InputContainer", written: "OutputContainer", recipe: Recipe, seen: Seen, span: Span
) -> dict[int, Lane]:
    """What becomes of each stream, by its index; the first pictures and the first sound are enough."""
    pictures, sounds = opened.streams.video[0], opened.streams.audio
    if recipe.encodes_video:
        lanes: dict[int, Lane] = {pictures.index: CodedPictures(pictures, written, span, recipe, seen)}
    else:
        lanes = {pictures.index: KeptLane(pictures, written, span)}
    if sounds:
        sound = sounds[0]
        coded = recipe.encodes_sound
        lanes[sound.index] = CodedSound(written, span) if coded else KeptLane(sound, written, span)
    return lanes


def _drive(
    opened: "InputContainer", lanes: dict[int, Lane], span: Span, told: Callable[[float], None]
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


def _told(progress: Progress, span: Span, seen: Seen) -> Callable[[float], None]:
    """Tells how far a time is; pictures come in another order than they are shown."""
    total = (span.length or (seen.duration_ms or 0) / 1000) or 1.0
    furthest = 0.0

    def told(time: float) -> None:
        nonlocal furthest
        furthest = min(1.0, max(furthest, (time - span.begin) / total))
        progress(furthest)

    return told
