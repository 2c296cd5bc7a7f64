"""Plans a copy of a file that meets the combined requirements of several platforms. Pure: reads nothing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import floor, sqrt
from typing import Final, NamedTuple, Self

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceLimits
from app.language import tr
from app.media.protocol import FEWEST_BITS, JPEG, MP4, PNG, SPARE, Crop, ProbeResult, Recipe, video_bits
from app.platforms.rules.tables import file_rules
from app.workspace.accounts.account import Account
from app.workspace.media.local_file import media_facts
from app.workspace.messages import Problem
from app.workspace.rules import MediaFacts, check_file

_KEPT_CODECS: Final = frozenset({"h264", "hevc"})
"""Codecs that every MP4 player knows."""
_KEPT_SOUND: Final = frozenset({"aac"})
_USUAL_RATE: Final = 30.0
_ENCODED_SIDE_MAX: Final = 1920
"""Longest side of an encoded video. Platforms show no more, and more takes much time and memory."""
_BITS_PER_PIXEL: Final = 0.03
"""Minimum bits per pixel. Below it, a smaller frame looks better."""


class Target(NamedTuple):
    """Where a file is to be published: a platform, and the limits of the account's server."""

    platform: PostingPlatform
    limits: PlaceLimits | None = None

    @classmethod
    def of(cls, account: Account) -> Self:
        """Return the target for an account."""
        return cls(PostingPlatform(account.platform.value), account.limits)


@dataclass(frozen=True, slots=True)
class Needs:
    """The strictest of several platforms' rules; None or empty if unlimited.

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
    def of(cls, targets: Iterable[Target], post_type: PostType) -> Self:
        """Return the needs of these targets for one type of post; targets without rules need nothing."""
        each_rules = (file_rules(each.platform, post_type, each.limits) for each in targets)
        rules = [found for found in each_rules if found is not None]
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


@dataclass(frozen=True, slots=True)
class Subject:
    """A probed file: its post type, content type, size, and the result of the probe."""

    post_type: PostType
    content_type: str
    size: int
    probed: ProbeResult

    @property
    def facts(self) -> MediaFacts:
        return media_facts(self.probed, self.content_type, self.size)


@dataclass(frozen=True, slots=True)
class Wishes:
    """The user's choices.

    Attributes:
        across: Which part to keep if the sides are cropped: 0 is the left one, 1 the right one.
        down: Likewise from top to bottom.
        start_ms: Start of a trimmed video.
    """

    across: float = 0.5
    down: float = 0.5
    start_ms: int = 0


def issues(subject: Subject, targets: Collection[Target]) -> list[str]:
    """Return the targets' objections to a file, as messages."""
    return _against(subject.post_type, subject.facts, targets)


def plan(subject: Subject, targets: Collection[Target], wishes: Wishes | None = None) -> Recipe | None:
    """Return how to make a copy that all of these targets accept; None if they accept the file itself.

    Raises Problem with the remaining reasons if no such copy can be made.
    """
    if not issues(subject, targets):
        return None
    needs, probed = Needs.of(targets, subject.post_type), subject.probed
    if probed.fault or probed.width is None or probed.height is None:
        raise Problem(tr("Kalends can't repair this file."), kind="invalid")
    if not needs.can_be_met:
        text = tr("No single file works for all these accounts. Create a separate post for some of them.")
        raise Problem(text, kind="conflict")
    make = _for_image if subject.post_type is PostType.IMAGE else _for_video
    recipe = make(subject, needs, wishes or Wishes())
    left = _against(subject.post_type, expected(subject, recipe), targets)
    if left:
        raise Problem(" ".join(left), kind="invalid")
    return recipe


def expected(subject: Subject, recipe: Recipe) -> MediaFacts:
    """Return the expected properties of the copy."""
    facts = subject.facts
    width, height = recipe.size or (recipe.crop[2:] if recipe.crop else (facts.width, facts.height))
    sound = "aac" if facts.audio_codec and recipe.encodes_sound else facts.audio_codec
    lengths = [each for each in (recipe.length_ms, facts.duration_ms) if each is not None]
    return MediaFacts(
        recipe.content_type,
        min(facts.size, recipe.bytes_max or facts.size),
        width=width,
        height=height,
        duration_ms=min(lengths, default=None),
        video_codec="h264" if recipe.encodes_video else facts.video_codec,
        audio_codec=sound,
        frame_rate=recipe.frame_rate or facts.frame_rate,
    )


def _against(post_type: PostType, facts: MediaFacts, targets: Collection[Target]) -> list[str]:
    found = (issue for each in targets for issue in check_file(each.platform, post_type, facts, each.limits))
    return list(dict.fromkeys(issue.message for issue in found))


def _for_image(subject: Subject, needs: Needs, wishes: Wishes) -> Recipe:
    crop, size = _shape(subject.probed, needs, wishes)
    too_large = needs.bytes_max is not None and subject.size > needs.bytes_max
    kind = _image_kind(subject, needs, too_large=too_large)
    return Recipe(
        kind,
        crop=crop,
        size=size,
        bytes_max=needs.bytes_max,
        is_first_picture=subject.probed.is_moving,
        converts=kind != subject.content_type,
        compresses=too_large,
    )


def _image_kind(subject: Subject, needs: Needs, *, too_large: bool) -> str:
    """Return the copy's type: PNG stays PNG if accepted and small enough; others become JPEG."""
    taken = needs.content_types or {JPEG, PNG}
    stays = subject.content_type == PNG and PNG in taken and not too_large
    return PNG if stays or JPEG not in taken else JPEG


def _for_video(subject: Subject, needs: Needs, wishes: Wishes) -> Recipe:
    probed = subject.probed
    crop, size = _shape(probed, needs, wishes, even=True)
    rate = _rate(probed, needs)
    start, length = _cut(probed, needs, wishes)
    too_large = needs.bytes_max is not None and _kept_bytes(subject, length) > needs.bytes_max * SPARE
    codecs = _KEPT_CODECS if needs.video_codecs is None else _KEPT_CODECS & needs.video_codecs
    sounds = _KEPT_SOUND if needs.audio_codecs is None else _KEPT_SOUND & needs.audio_codecs
    foreign = probed.video_codec not in codecs
    strange = bool(probed.audio_codec) and probed.audio_codec not in sounds
    recipe = Recipe(
        MP4,
        crop=crop,
        size=size,
        start_ms=start,
        length_ms=length,
        bytes_max=needs.bytes_max,
        frame_rate=rate,
        encodes_video=bool(crop or size or rate or foreign or too_large),
        encodes_sound=strange,
        converts=subject.content_type != MP4 or foreign or strange,
        compresses=too_large,
    )
    return _fitted(recipe, probed, needs) if recipe.encodes_video else recipe


def _cut(probed: ProbeResult, needs: Needs, wishes: Wishes) -> tuple[int, int | None]:
    """Return start and duration of the copy; None for the whole video."""
    if needs.duration_ms is None or probed.duration_ms is None or probed.duration_ms <= needs.duration_ms:
        return 0, None
    latest = probed.duration_ms - needs.duration_ms
    return min(max(0, wishes.start_ms), latest), needs.duration_ms


def _kept_bytes(subject: Subject, length_ms: int | None) -> float:
    """Return the approximate size of a copy that isn't re-encoded."""
    whole = subject.probed.duration_ms
    return subject.size * (length_ms / whole if length_ms is not None and whole else 1.0)


def _rate(probed: ProbeResult, needs: Needs) -> float | None:
    if needs.frame_rate is None or probed.frame_rate is None:
        return None
    fewest, most = needs.frame_rate
    if fewest <= round(probed.frame_rate, 1) <= most:
        return None
    return min(most, max(fewest, _USUAL_RATE)) if probed.frame_rate < fewest else most


def _shape(
    probed: ProbeResult, needs: Needs, wishes: Wishes, *, even: bool = False
) -> tuple[Crop | None, tuple[int, int] | None]:
    """Return the part to keep, and its size in the copy; ``even`` for video codecs, which halve the sides."""
    width, height = probed.width or 1, probed.height or 1
    crop = _crop(width, height, needs.ratio, wishes, even=even)
    if crop is not None:
        width, height = crop.width, crop.height
    factor = min(
        1.0,
        (needs.side_max or width) / width,
        (needs.side_max or height) / height,
        (needs.width_max or width) / width,
        sqrt((needs.pixels_max - 1) / (width * height)) if needs.pixels_max else 1.0,
    )
    return crop, scaled(width, height, factor, even=even) if factor < 1 else None


def _crop(
    width: int, height: int, ratio: tuple[float, float] | None, wishes: Wishes, *, even: bool
) -> Crop | None:
    if ratio is None or ratio[0] * height <= width <= ratio[1] * height:
        return None
    narrowest, widest = ratio
    kept_width = min(width, _whole(height * widest, even=even))
    kept_height = min(height, _whole(width / narrowest, even=even))
    left = round((width - kept_width) * min(1.0, max(0.0, wishes.across)))
    top = round((height - kept_height) * min(1.0, max(0.0, wishes.down)))
    return Crop(left, top, kept_width, kept_height)


def scaled(width: int, height: int, factor: float, *, even: bool) -> tuple[int, int]:
    """Return both sides scaled down, at least 1."""
    return _whole(width * factor, even=even), _whole(height * factor, even=even)


def _whole(side: float, *, even: bool) -> int:
    return max(2, floor(side / 2) * 2) if even else max(1, floor(side))


def _fitted(recipe: Recipe, probed: ProbeResult, needs: Needs) -> Recipe:
    """Limit a re-encoded video to the pixels that its file size allows."""
    whole = probed.width or 2, probed.height or 2
    width, height = recipe.size or (recipe.crop[2:] if recipe.crop else whole)
    factor = min(1.0, _ENCODED_SIDE_MAX / max(width, height))
    bits = video_bits(recipe, probed)
    if bits is not None:
        if bits < FEWEST_BITS:
            raise Problem(
                tr("This video is too long for that file size. Trim it, then add it again."), kind="invalid"
            )
        rate = recipe.frame_rate or probed.frame_rate or _USUAL_RATE
        factor = min(factor, sqrt(bits / rate / _BITS_PER_PIXEL / (width * height)))
    smaller = scaled(width, height, factor, even=True)
    fits = min(smaller) >= needs.side_min
    return replace(recipe, size=smaller) if fits and smaller != (width, height) else recipe
