"""Problems of a file on a platform, with messages that say how to fix it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.contract.enums import PostingPlatform, PostType
from app.language import figure, filled, tr, trn
from app.platforms.card import FileRules
from app.platforms.cards import name_of
from app.platforms.rules.tables import file_rules

if TYPE_CHECKING:
    # pydantic would delay the app's first window
    from app.contract.places import PlaceLimits

_KIB, _MIB, _GIB = 1024, 1024**2, 1024**3
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_GIF: Final = "image/gif"

_KIND_NAMES: Final[Mapping[str, str]] = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "video/mp4": "MP4",
    "video/quicktime": "MOV",
    "video/webm": "WebM",
}
_NO_SUCH_VIDEO: Final = tr("{platform} accepts only {known} video. This file is {codec}. Convert it.")
_NO_SUCH_SOUND: Final = tr("{platform} accepts only {known} audio. This file has {codec}. Convert it.")
_CODEC_NAMES: Final[Mapping[str, str]] = {
    "h264": "H.264",
    "hevc": "H.265",
    "vp8": "VP8",
    "vp9": "VP9",
    "av1": "AV1",
    "aac": "AAC",
    "mp3": "MP3",
    "opus": "Opus",
}


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """Known properties of a file, in bytes, pixels, ms and frames per second; None if unknown.

    Attributes:
        video_codec: Named as by FFmpeg, such as ``h264``; so is ``audio_codec``, empty for a silent video.
    """

    content_type: str
    size: int
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    frame_rate: float | None = None


def problems(
    platform: PostingPlatform, post_type: PostType, facts: MediaFacts, limits: "PlaceLimits | None" = None
) -> Iterator[tuple[str, str]]:
    """Return why a platform would refuse a file: messages and short words for programs.

    ``limits`` are those of the account's server.
    """
    rules, name = file_rules(platform, post_type, limits), name_of(platform)
    if rules is None:
        return
    is_taken = _is_taken(rules, post_type, facts.content_type)
    if not is_taken:
        yield _not_taken(name, rules, kind_name(facts.content_type)), "unsupported"
    yield from _size_problems(name, rules, facts)
    yield from _shape_problems(name, rules, facts)
    yield from _length_problems(name, rules, facts)
    if is_taken:  # another type needs another encoding anyway
        yield from _coding_problems(name, rules, facts)


def _is_taken(rules: FileRules, post_type: PostType, content_type: str) -> bool:
    if rules.content_types:
        return content_type in rules.content_types
    return content_type.startswith(f"{post_type.value}/")


def _size_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    largest = rules.bytes_max
    if facts.content_type == _GIF and rules.gif_bytes_max is not None:
        largest = rules.gif_bytes_max
    if largest is not None and facts.size > largest:
        message = tr(
            "{platform} allows up to {most}; this file is {size}.",
            platform=name,
            most=_amount(largest),
            size=_amount(facts.size),
        )
        yield message, "too_large"
    if facts.size < rules.bytes_min:
        message = tr(
            "{platform} needs at least {least}; this file is {size}.",
            platform=name,
            least=_amount(rules.bytes_min),
            size=_amount(facts.size),
        )
        yield message, "too_small"


def _shape_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    if facts.width is None or facts.height is None:
        return
    shape = tr("{width} by {height}", width=facts.width, height=facts.height)
    if rules.pixels_max is not None and facts.width * facts.height >= rules.pixels_max:
        most = rules.pixels_max // 1_000_000
        message = tr("{platform} allows up to {most} megapixels; this file is {shape}.")
        yield filled(message, platform=name, most=most, shape=shape), "too_large"
    if rules.side is not None:
        fewest, most = rules.side
        if not all(fewest <= side <= most for side in (facts.width, facts.height)):
            message = tr("{platform} needs {fewest} to {most} pixels per side; this file is {shape}.")
            yield filled(message, platform=name, fewest=fewest, most=most, shape=shape), "dimensions"
    if rules.width_max is not None and facts.width > rules.width_max:
        message = tr("{platform} allows a width of up to {most} pixels; this file is {shape}.")
        yield filled(message, platform=name, most=rules.width_max, shape=shape), "dimensions"
    if rules.ratio is not None:
        narrowest, widest = rules.ratio
        # Allow for rounding by one pixel.
        if not narrowest * (facts.height - 1) <= facts.width <= widest * (facts.height + 1):
            message = tr("{platform} doesn't accept this shape ({shape}).", platform=name, shape=shape)
            yield f"{message} {_advice(narrowest, widest)}", "ratio"


def _length_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    if rules.duration_ms is None or facts.duration_ms is None:
        return
    shortest, longest = rules.duration_ms
    length = _length(facts.duration_ms)
    if facts.duration_ms < shortest:
        message = tr("{platform} needs videos of at least {least}; this one is {length}.")
        yield filled(message, platform=name, least=_length(shortest), length=length), "too_short"
    elif facts.duration_ms > longest:
        message = tr("{platform} allows up to {most}; this video is {length}.")
        yield filled(message, platform=name, most=_length(longest), length=length), "too_long"


def _coding_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    for sentence, taken, codec in (
        (_NO_SUCH_VIDEO, rules.video_codecs, facts.video_codec),
        (_NO_SUCH_SOUND, rules.audio_codecs, facts.audio_codec),
    ):
        if taken and codec and codec not in taken:
            known = _listed(_CODEC_NAMES.get(each, each) for each in taken)
            shown = _CODEC_NAMES.get(codec, codec)
            yield filled(sentence, platform=name, codec=shown, known=known), "codec"
    if rules.frame_rate is not None and facts.frame_rate is not None:
        fewest, most = rules.frame_rate
        # 23.976 is commonly called 24, and 59.94 is called 60.
        if not fewest <= round(facts.frame_rate, 1) <= most:
            yield _rate(name, fewest, most, facts.frame_rate), "frame_rate"


def _rate(name: str, fewest: float, most: float, rate: float) -> str:
    if fewest:
        text = tr("{platform} allows {fewest} to {most} frames per second; this file has {rate}.")
    else:
        text = tr("{platform} allows {most} frames per second; this file has {rate}.")
    return filled(
        text, platform=name, fewest=figure(f"{fewest:g}"), most=figure(f"{most:g}"), rate=figure(f"{rate:g}")
    )


def _advice(narrowest: float, widest: float) -> str:
    return tr(
        "Crop it to a width of {narrowest} to {widest} times its height.",
        narrowest=figure(f"{narrowest:.2g}"),
        widest=figure(f"{widest:.3g}"),
    )


def _not_taken(name: str, rules: FileRules, kind: str) -> str:
    if not rules.content_types:
        return tr("{platform} doesn't accept {kind} files.", platform=name, kind=kind)
    return tr(
        "{platform} accepts only {kinds}. This file is {kind}.",
        platform=name,
        kind=kind,
        kinds=_listed(map(kind_name, rules.content_types)),
    )


def _listed(names: Iterable[str]) -> str:
    *others, last = sorted(names)
    return tr("{names} and {last}", names=", ".join(others), last=last) if others else last


def kind_name(content_type: str) -> str:
    """Return what people call a type of file, such as "JPEG"."""
    return _KIND_NAMES.get(content_type, content_type)


def _amount(size: int) -> str:
    for unit, name in ((_GIB, "GB"), (_MIB, "MB"), (_KIB, "KB")):
        if size >= unit:
            return figure(f"{size / unit:.1f}".removesuffix(".0")) + f" {name}"
    return tr("{n} bytes", n=size)


def _length(duration_ms: int) -> str:
    if duration_ms % _HOUR == 0 and duration_ms:
        return trn("{n} hour", "{n} hours", duration_ms // _HOUR)
    if duration_ms % _MINUTE == 0 and duration_ms:
        return trn("{n} minute", "{n} minutes", duration_ms // _MINUTE)
    seconds = f"{duration_ms / _SECOND:.1f}".removesuffix(".0")
    return trn("{n} second", "{n} seconds", 1 if seconds == "1" else 2, n=figure(seconds))
