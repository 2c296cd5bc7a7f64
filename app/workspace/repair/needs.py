"""What several platforms together require of one file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import FILES


@dataclass(frozen=True, slots=True)
class Needs:
    """The strictest of several platforms' rules; None or empty without a limit.

    Attributes:
        content_types: None: all of the kind.
        bytes_max: Maximum file size.
        pixels_max: Maximum number of pixels, exclusive.
        side_min: Minimum pixels per side; ``side_max`` is the maximum.
        width_max: Maximum width in pixels.
        ratio: Minimum and maximum of width divided by height; the first is larger if platforms disagree.
        duration_ms: Maximum duration.
        video_codecs: None: all; ``audio_codecs`` likewise.
        frame_rate: Minimum and maximum frames per second.
    """

    content_types: frozenset[str] | None = None
    bytes_max: int | None = None
    pixels_max: int | None = None
    side_min: int = 1
    side_max: int | None = None
    width_max: int | None = None
    ratio: tuple[float, float] | None = None
    duration_ms: int | None = None
    video_codecs: frozenset[str] | None = None
    audio_codecs: frozenset[str] | None = None
    frame_rate: tuple[float, float] | None = None

    @classmethod
    def of(cls, platforms: Iterable[PostingPlatform], post_type: PostType) -> Self:
        """Return the needs of these platforms for one type of post; those without rules need nothing."""
        rules = [found for each in platforms if (found := FILES.get((each, post_type))) is not None]
        return cls(
            content_types=_common(rule.content_types for rule in rules),
            bytes_max=_least(rule.bytes_max for rule in rules),
            pixels_max=_least(rule.pixels_max for rule in rules),
            side_min=max((rule.side[0] for rule in rules if rule.side), default=1),
            side_max=_least(rule.side[1] if rule.side else None for rule in rules),
            width_max=_least(rule.width_max for rule in rules),
            ratio=_overlap(rule.ratio for rule in rules),
            duration_ms=_least(rule.duration_ms[1] if rule.duration_ms else None for rule in rules),
            video_codecs=_common(rule.video_codecs for rule in rules),
            audio_codecs=_common(rule.audio_codecs for rule in rules),
            frame_rate=_overlap(rule.frame_rate for rule in rules),
        )

    @property
    def can_be_met(self) -> bool:
        """Whether one file can meet all of them."""
        named = self.content_types, self.video_codecs, self.audio_codecs
        ranges = self.ratio, self.frame_rate
        return (
            all(each is None or each for each in named)
            and all(each is None or each[0] <= each[1] for each in ranges)
            and (self.side_max is None or self.side_min <= self.side_max)
        )


def _common(named: Iterable[frozenset[str]]) -> frozenset[str] | None:
    limits = [each for each in named if each]
    return frozenset.intersection(*limits) if limits else None


def _least(limits: Iterable[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _overlap(ranges: Iterable[tuple[float, float] | None]) -> tuple[float, float] | None:
    limits = [each for each in ranges if each is not None]
    if not limits:
        return None
    return max(low for low, _ in limits), min(high for _, high in limits)
