"""What files each platform takes, as of 2026-11-21.

Every entry names its source. Where the platform documents no number, the one is taken that publishing
programs rely on, and the entry says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostingPlatform, PostType

_KIB, _MIB, _GIB = 1024, 1024**2, 1024**3
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000

_JPEG, _PNG, _GIF, _WEBP = "image/jpeg", "image/png", "image/gif", "image/webp"
_MP4, _MOV, _WEBM = "video/mp4", "video/quicktime", "video/webm"


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """What is known of a file: bytes, pixels, milliseconds, frames a second; None where it is not known.

    Attributes:
        video_codec: As decoders call it, such as ``h264``; so is ``audio_codec``, empty for a silent video.
    """

    content_type: str
    size: int
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    frame_rate: float | None = None


@dataclass(frozen=True, slots=True)
class FileRules:
    """What one platform takes of one kind; None or empty where it has no limit that is known.

    Attributes:
        source: Where the rules stand.
        content_types: Empty: every one of the kind.
        bytes_max: Largest file.
        gif_bytes_max: Largest GIF, where that differs.
        bytes_min: Smallest file.
        pixels_max: Most pixels in all, exclusive.
        side: Fewest and most pixels of each side.
        width_max: Most pixels from left to right.
        ratio: Smallest and largest width divided by height.
        duration_ms: Shortest and longest.
        video_codecs: How pictures may be coded.
        audio_codecs: How sound may be coded.
        frame_rate: Fewest and most frames a second.
        pulled: The platform takes no bytes; it fetches the file from a public address.
    """

    source: str
    content_types: frozenset[str] = frozenset()
    bytes_max: int | None = None
    gif_bytes_max: int | None = None
    bytes_min: int = 1
    pixels_max: int | None = None
    side: tuple[int, int] | None = None
    width_max: int | None = None
    ratio: tuple[float, float] | None = None
    duration_ms: tuple[int, int] | None = None
    video_codecs: frozenset[str] = frozenset()
    audio_codecs: frozenset[str] = frozenset()
    frame_rate: tuple[float, float] | None = None
    pulled: bool = False


FILES: Final[Mapping[tuple[PostingPlatform, PostType], FileRules]] = MappingProxyType(
    {
        (PostingPlatform.LINKEDIN, PostType.IMAGE): FileRules(
            source="Images API, which documents no size limit",
            content_types=frozenset({_JPEG, _PNG, _GIF}),
            pixels_max=36_152_320,
        ),
        (PostingPlatform.LINKEDIN, PostType.VIDEO): FileRules(
            source="Videos API",
            content_types=frozenset({_MP4}),
            bytes_min=75 * _KIB,
            bytes_max=500 * _MIB,
            duration_ms=(3 * _SECOND, 30 * _MINUTE),
        ),
        (PostingPlatform.TIKTOK, PostType.IMAGE): FileRules(
            source="Content Posting API, media transfer guide",
            content_types=frozenset({_JPEG, _WEBP}),
            bytes_max=20 * _MIB,
            side=(1, 1920),
            pulled=True,
        ),
        (PostingPlatform.TIKTOK, PostType.VIDEO): FileRules(
            source="Content Posting API, media transfer guide",
            content_types=frozenset({_MP4, _MOV, _WEBM}),
            bytes_max=4 * _GIB,
            side=(360, 4096),
            duration_ms=(0, 10 * _MINUTE),
            video_codecs=frozenset({"h264", "hevc", "vp8", "vp9"}),
            frame_rate=(23, 60),
        ),
        (PostingPlatform.PINTEREST, PostType.IMAGE): FileRules(
            source="API description 5.23.0 for the kinds; 20 MB isn't official",
            content_types=frozenset({_JPEG, _PNG}),
            bytes_max=20 * _MIB,
        ),
        (PostingPlatform.PINTEREST, PostType.VIDEO): FileRules(
            source="limits other publishing tools use; not official",
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=2 * _GIB,
            duration_ms=(4 * _SECOND, 15 * _MINUTE),
        ),
        (PostingPlatform.INSTAGRAM, PostType.IMAGE): FileRules(
            source="Content Publishing API, image specifications",
            content_types=frozenset({_JPEG}),
            bytes_max=8 * _MIB,
            ratio=(0.8, 1.91),
            pulled=True,
        ),
        (PostingPlatform.INSTAGRAM, PostType.VIDEO): FileRules(
            source="Content Publishing API, Reel specifications",
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=300 * _MIB,
            width_max=1920,
            duration_ms=(3 * _SECOND, 15 * _MINUTE),
            video_codecs=frozenset({"h264", "hevc"}),
            audio_codecs=frozenset({"aac"}),
            frame_rate=(23, 60),
        ),
        (PostingPlatform.YOUTUBE, PostType.VIDEO): FileRules(
            source="discovery document of Data API v3, revision 20261104; 15 minutes for unverified channels",
            bytes_max=256 * _GIB,
            duration_ms=(0, 12 * _HOUR),
        ),
        (PostingPlatform.X, PostType.IMAGE): FileRules(
            source="media best practices",
            content_types=frozenset({_JPEG, _PNG, _GIF, _WEBP}),
            bytes_max=5 * _MIB,
            gif_bytes_max=15 * _MIB,
        ),
        (PostingPlatform.X, PostType.VIDEO): FileRules(
            source="media best practices, for accounts without a subscription",
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=512 * _MIB,
            ratio=(1 / 3, 3.0),
            duration_ms=(500, 140 * _SECOND),
            video_codecs=frozenset({"h264"}),
            audio_codecs=frozenset({"aac"}),
            frame_rate=(0, 60),
        ),
        (PostingPlatform.FACEBOOK, PostType.IMAGE): FileRules(
            source="text of error 1366046: JPEG or PNG of less than 4 MB",
            content_types=frozenset({_JPEG, _PNG}),
            bytes_max=4 * _MIB,
        ),
        (PostingPlatform.FACEBOOK, PostType.VIDEO): FileRules(
            source="limits other publishing tools use; not official",
            content_types=frozenset({_MP4, _MOV}),
            bytes_max=10 * _GIB,
            duration_ms=(0, 4 * _HOUR),
        ),
    }
)
"""The rules of every platform and kind that has files."""


def pulled(*, instagram_login: bool) -> dict[PostingPlatform, frozenset[PostType]]:
    """The kinds of posts whose file a platform fetches itself, by platform.

    Instagram's pictures can be brought through Facebook, but not with ``instagram_login``.
    """
    found: dict[PostingPlatform, frozenset[PostType]] = {}
    for (platform, kind), rules in FILES.items():
        if rules.pulled and (instagram_login or platform is not PostingPlatform.INSTAGRAM):
            found[platform] = found.get(platform, frozenset()) | {kind}
    return found
