"""What is wrong with a file for a platform, said so that a person can put it right."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules.file_table import FILES, FileRules, MediaFacts

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


def problems(
    name: str, platform: PostingPlatform, post_type: PostType, facts: MediaFacts
) -> Iterator[tuple[str, str]]:
    """Why a platform, here with its ``name`` for people, will not take a file: sentences and words."""
    rules = FILES.get((platform, post_type))
    if rules is None:
        return
    if not _is_taken(rules, post_type, facts.content_type):
        yield f"{name} does not take {_kind_name(facts.content_type)} here{_taken(rules)}.", "unsupported"
        return
    yield from _size_problems(name, rules, facts)
    yield from _shape_problems(name, rules, facts)
    yield from _length_problems(name, rules, facts)
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
        yield f"{name} allows {_amount(largest)}; this file has {_amount(facts.size)}.", "too_large"
    if facts.size < rules.bytes_min:
        yield (
            f"{name} needs {_amount(rules.bytes_min)} or more; this file has {_amount(facts.size)}.",
            "too_small",
        )


def _shape_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    if facts.width is None or facts.height is None:
        return
    shape = f"{facts.width} by {facts.height}"
    if rules.pixels_max is not None and facts.width * facts.height >= rules.pixels_max:
        most = rules.pixels_max // 1_000_000
        yield f"{name} allows {most} million pixels; this is {shape}.", "too_large"
    if rules.side is not None:
        fewest, most = rules.side
        if not all(fewest <= side <= most for side in (facts.width, facts.height)):
            yield f"{name} needs {fewest} to {most} pixels a side; this is {shape}.", "dimensions"
    if rules.width_max is not None and facts.width > rules.width_max:
        yield f"{name} allows a width of {rules.width_max} pixels; this is {shape}.", "dimensions"
    if rules.ratio is not None:
        narrowest, widest = rules.ratio
        # A pixel more or less is a matter of rounding.
        if not narrowest * (facts.height - 1) <= facts.width <= widest * (facts.height + 1):
            yield f"{name} does not take this shape ({shape}). {_advice(narrowest, widest)}", "ratio"


def _length_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    if rules.duration_ms is None or facts.duration_ms is None:
        return
    shortest, longest = rules.duration_ms
    length = _length(facts.duration_ms)
    if facts.duration_ms < shortest:
        yield f"{name} takes videos of {_length(shortest)} or more; this has {length}.", "too_short"
    elif facts.duration_ms > longest:
        yield f"{name} allows {_length(longest)}; this has {length}.", "too_long"


def _coding_problems(name: str, rules: FileRules, facts: MediaFacts) -> Iterator[tuple[str, str]]:
    for what, taken, codec in (
        ("video", rules.video_codecs, facts.video_codec),
        ("sound", rules.audio_codecs, facts.audio_codec),
    ):
        if taken and codec and codec not in taken:
            known = _listed(_CODEC_NAMES.get(each, each) for each in taken)
            shown = _CODEC_NAMES.get(codec, codec)
            yield f"{name} does not take {shown} {what}, only {known}. Convert the file.", "codec"
    if rules.frame_rate is not None and facts.frame_rate is not None:
        fewest, most = rules.frame_rate
        # 23.976 is what people call 24, and 59.94 what they call 60.
        if not fewest <= round(facts.frame_rate, 1) <= most:
            limits = f"{fewest:g} to {most:g}" if fewest else f"{most:g}"
            yield f"{name} allows {limits} frames a second; this has {facts.frame_rate:g}.", "frame_rate"


def _advice(narrowest: float, widest: float) -> str:
    return f"Crop it to a width of {narrowest:.2g} to {widest:.3g} times its height."


def _taken(rules: FileRules) -> str:
    return f", only {_listed(map(_kind_name, rules.content_types))}" if rules.content_types else ""


def _listed(names: Iterable[str]) -> str:
    *others, last = sorted(names)
    return f"{', '.join(others)} and {last}" if others else last


def _kind_name(content_type: str) -> str:
    return _KIND_NAMES.get(content_type, content_type)


def _amount(size: int) -> str:
    for unit, name in ((_GIB, "GB"), (_MIB, "MB"), (_KIB, "KB")):
        if size >= unit:
            return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{size} bytes"


def _length(duration_ms: int) -> str:
    if duration_ms % _HOUR == 0 and duration_ms:
        hours = duration_ms // _HOUR
        return f"{hours} hour{'' if hours == 1 else 's'}"
    if duration_ms % _MINUTE == 0 and duration_ms:
        minutes = duration_ms // _MINUTE
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    seconds = f"{duration_ms / _SECOND:.1f}".removesuffix(".0")
    return f"{seconds} second{'' if seconds == '1' else 's'}"
