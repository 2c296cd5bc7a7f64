"""What files each platform takes, as of 2026-11-21, and what is wrong with one.

Sources: the platforms' own upload and publishing pages. Where a number is not official, the one is taken that
publishing programs rely on: Pinterest's sizes and lengths, Facebook's 4 MB for pictures, X's 140 seconds and
512 MB for accounts without a subscription.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform, PostType

_KIB, _MIB, _GIB = 1024, 1024**2, 1024**3
_SECOND, _MINUTE = 1000, 60_000

_KIND_NAMES: Final[Mapping[str, str]] = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "video/mp4": "MP4",
    "video/quicktime": "MOV",
    "video/webm": "WebM",
}


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """What is known of a file: bytes, pixels, milliseconds; None where it is not known."""

    content_type: str
    size: int
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FileRules:
    """What one platform takes of one kind; None where it has no limit that is known.

    Attributes:
        content_types: Empty: every one of the kind.
        bytes_max: Largest file.
        gif_bytes_max: Largest GIF, where that differs.
        bytes_min: Smallest file.
        pixels_max: Most pixels in all, exclusive.
        side: Fewest and most pixels of each side.
        ratio: Smallest and largest width divided by height.
        duration_ms: Shortest and longest.
    """

    content_types: frozenset[str] = frozenset()
    bytes_max: int | None = None
    gif_bytes_max: int | None = None
    bytes_min: int = 1
    pixels_max: int | None = None
    side: tuple[int, int] | None = None
    ratio: tuple[float, float] | None = None
    duration_ms: tuple[int, int] | None = None


_JPEG, _PNG, _GIF, _WEBP = "image/jpeg", "image/png", "image/gif", "image/webp"
_MP4, _MOV, _WEBM = "video/mp4", "video/quicktime", "video/webm"

FILES: Final[Mapping[tuple[PostingPlatform, PostType], FileRules]] = MappingProxyType(
    {
        (PostingPlatform.LINKEDIN, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG, _PNG, _GIF}), pixels_max=36_152_320
        ),
        (PostingPlatform.LINKEDIN, PostType.VIDEO): FileRules(
            content_types=frozenset({_MP4}),
            bytes_min=75 * _KIB,
            bytes_max=500 * _MIB,
            duration_ms=(3 * _SECOND, 30 * _MINUTE),
        ),
        (PostingPlatform.TIKTOK, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG, _WEBP}), bytes_max=20 * _MIB
        ),
        (PostingPlatform.TIKTOK, PostType.VIDEO): FileRules(
            content_types=frozenset({_MP4, _MOV, _WEBM}),
            bytes_max=4 * _GIB,
            side=(360, 4096),
            duration_ms=(0, 10 * _MINUTE),
        ),
        (PostingPlatform.PINTEREST, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG, _PNG}), bytes_max=20 * _MIB
        ),
        (PostingPlatform.PINTEREST, PostType.VIDEO): FileRules(
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=2 * _GIB,
            duration_ms=(4 * _SECOND, 15 * _MINUTE),
        ),
        (PostingPlatform.INSTAGRAM, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG}), bytes_max=8 * _MIB, ratio=(0.8, 1.91)
        ),
        (PostingPlatform.INSTAGRAM, PostType.VIDEO): FileRules(
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=300 * _MIB,
            duration_ms=(3 * _SECOND, 15 * _MINUTE),
        ),
        (PostingPlatform.YOUTUBE, PostType.VIDEO): FileRules(bytes_max=256 * _GIB),
        (PostingPlatform.X, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG, _PNG, _GIF, _WEBP}), bytes_max=5 * _MIB, gif_bytes_max=15 * _MIB
        ),
        (PostingPlatform.X, PostType.VIDEO): FileRules(
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=512 * _MIB,
            ratio=(1 / 3, 3.0),
            duration_ms=(500, 140 * _SECOND),
        ),
        (PostingPlatform.FACEBOOK, PostType.IMAGE): FileRules(
            content_types=frozenset({_JPEG, _PNG}), bytes_max=4 * _MIB
        ),
        (PostingPlatform.FACEBOOK, PostType.VIDEO): FileRules(content_types=frozenset({_MP4, _MOV})),
    }
)
"""The rules of every platform and kind that has files."""


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
    if rules.duration_ms is not None and facts.duration_ms is not None:
        shortest, longest = rules.duration_ms
        if facts.duration_ms < shortest:
            yield (
                f"{name} takes videos of {_length(shortest)} or more; this has {_length(facts.duration_ms)}.",
                "too_short",
            )
        elif facts.duration_ms > longest:
            yield f"{name} allows {_length(longest)}; this has {_length(facts.duration_ms)}.", "too_long"


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
    if rules.ratio is not None:
        narrowest, widest = rules.ratio
        # A pixel more or less is a matter of rounding.
        if not narrowest * (facts.height - 1) <= facts.width <= widest * (facts.height + 1):
            yield f"{name} does not take this shape ({shape}). {_advice(narrowest, widest)}", "ratio"


def _advice(narrowest: float, widest: float) -> str:
    return f"Crop it to a width of {narrowest:.2g} to {widest:.3g} times its height."


def _taken(rules: FileRules) -> str:
    names = sorted(_kind_name(kind) for kind in rules.content_types)
    if not names:
        return ""
    *others, last = names
    return f", only {', '.join(others)} and {last}" if others else f", only {last}"


def _kind_name(content_type: str) -> str:
    return _KIND_NAMES.get(content_type, content_type)


def _amount(size: int) -> str:
    for unit, name in ((_GIB, "GB"), (_MIB, "MB"), (_KIB, "KB")):
        if size >= unit:
            return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{size} bytes"


def _length(duration_ms: int) -> str:
    if duration_ms % _MINUTE == 0 and duration_ms:
        minutes = duration_ms // _MINUTE
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    seconds = f"{duration_ms / _SECOND:.1f}".removesuffix(".0")
    return f"{seconds} second{'' if seconds == '1' else 's'}"
