"""What is said of a file that a platform will not take."""

import pytest

from app.contract.enums import PostingPlatform as P
from app.contract.enums import PostType as T
from app.platforms.rules import FILES, RULES, MediaFacts, check

MIB = 1024 * 1024


def words(platform: P, facts: MediaFacts) -> list[str]:
    kind = T.VIDEO if facts.content_type.startswith("video/") else T.IMAGE
    issues = check(
        platform=platform, post_type=kind, title="A title", text="A text", media=facts, board_id="1"
    )
    assert all(issue.field == "media_storage_path" for issue in issues)
    return [issue.message for issue in issues]


def picture(
    content_type: str = "image/jpeg", size: int = MIB, width: int = 1000, height: int = 1000
) -> MediaFacts:
    return MediaFacts(content_type, size, width, height)


def video(
    content_type: str = "video/mp4", size: int = MIB, seconds: float = 10.0, **shape: int
) -> MediaFacts:
    return MediaFacts(
        content_type, size, shape.get("width", 1280), shape.get("height", 720), int(seconds * 1000)
    )


def test_a_file_of_another_type_is_told_everything_else_that_is_wrong_with_it() -> None:
    assert words(P.INSTAGRAM, picture("image/webp", width=1080, height=1920)) == [
        "Instagram accepts only JPEG. This file is WebP.",
        (
            "Instagram doesn't accept this shape (1,080 by 1,920). "
            "Crop it to a width of 0.8 to 1.91 times its height."
        ),
    ]


def test_every_kind_with_a_file_has_rules() -> None:
    kinds = {
        (platform, kind)
        for platform, rules in RULES.items()
        for kind in rules.post_types
        if kind is not T.TEXT
    }
    assert set(FILES) == kinds


@pytest.mark.parametrize("platform", [P.LINKEDIN, P.PINTEREST, P.INSTAGRAM, P.X, P.FACEBOOK])
def test_an_ordinary_picture_goes_everywhere(platform: P) -> None:
    assert words(platform, picture()) == []


@pytest.mark.parametrize("platform", list(P))
def test_an_ordinary_video_goes_everywhere(platform: P) -> None:
    assert words(platform, video()) == []


@pytest.mark.parametrize(
    ("platform", "facts", "said"),
    [
        (P.LINKEDIN, picture("image/webp"), "LinkedIn accepts only GIF, JPEG and PNG. This file is WebP."),
        (P.INSTAGRAM, picture("image/png"), "Instagram accepts only JPEG. This file is PNG."),
        (P.X, picture(size=6 * MIB), "X allows up to 5 MB; this file is 6 MB."),
        (P.X, picture("image/gif", 15 * MIB + 200_000), "X allows up to 15 MB; this file is 15.2 MB."),
        (P.LINKEDIN, video(size=1000), "LinkedIn needs at least 75 KB; this file is 1,000 bytes."),
        (
            P.LINKEDIN,
            picture(width=8000, height=5000),
            "LinkedIn allows up to 36 megapixels; this file is 8,000 by 5,000.",
        ),
        (
            P.TIKTOK,
            video(width=200, height=400),
            "TikTok needs 360 to 4,096 pixels per side; this file is 200 by 400.",
        ),
        (
            P.INSTAGRAM,
            picture(width=3000, height=1000),
            (
                "Instagram doesn't accept this shape (3,000 by 1,000). "
                "Crop it to a width of 0.8 to 1.91 times its height."
            ),
        ),
        (
            P.INSTAGRAM,
            video(width=2560, height=1440),
            "Instagram allows a width of up to 1,920 pixels; this file is 2,560 by 1,440.",
        ),
        (
            P.YOUTUBE,
            video(seconds=12 * 3600 + 60),
            "YouTube allows up to 12 hours; this video is 721 minutes.",
        ),
        (P.X, video(seconds=141), "X allows up to 140 seconds; this video is 141 seconds."),
        (P.LINKEDIN, video(seconds=31 * 60), "LinkedIn allows up to 30 minutes; this video is 31 minutes."),
        (
            P.PINTEREST,
            video(seconds=1),
            "Pinterest needs videos of at least 4 seconds; this one is 1 second.",
        ),
    ],
)
def test_what_is_said(platform: P, facts: MediaFacts, said: str) -> None:
    assert words(platform, facts) == [said]


def coded(video: str, audio: str = "", frame_rate: float = 30.0) -> MediaFacts:
    return MediaFacts("video/mp4", MIB, 720, 720, 10_000, video, audio, frame_rate)


@pytest.mark.parametrize(
    ("platform", "facts", "said"),
    [
        (
            P.INSTAGRAM,
            coded("av1"),
            ["Instagram accepts only H.264 and H.265 video. This file is AV1. Convert it."],
        ),
        (P.X, coded("h264", "opus"), ["X accepts only AAC audio. This file has Opus. Convert it."]),
        (P.X, coded("h264", "aac", 120), ["X allows 60 frames per second; this file has 120."]),
        (P.TIKTOK, coded("vp9", "mp3", 15), ["TikTok allows 23 to 60 frames per second; this file has 15."]),
        (P.TIKTOK, coded("h264", "aac", 23.976), []),
        (P.X, coded("h264", "aac", 59.94), []),
        (P.YOUTUBE, coded("prores", "flac", 240), []),
        (P.INSTAGRAM, coded("h264"), []),
    ],
)
def test_how_a_video_may_be_coded(platform: P, facts: MediaFacts, said: list[str]) -> None:
    assert words(platform, facts) == said


def test_every_entry_names_its_source_and_what_is_pulled() -> None:
    assert all(rules.source for rules in RULES.values())
    assert all(rules.source for rules in FILES.values())
    assert {key for key, rules in FILES.items() if rules.pulled} == {
        (P.TIKTOK, T.IMAGE),
        (P.INSTAGRAM, T.IMAGE),
    }


def test_a_picture_is_no_video_for_youtube() -> None:
    issues = check(platform=P.YOUTUBE, post_type=T.VIDEO, title="A", text="A", media=picture())
    assert [issue.message for issue in issues] == ["YouTube doesn't accept JPEG files."]


def test_edges_of_a_ratio_are_taken_though_pixels_are_whole() -> None:
    assert words(P.INSTAGRAM, picture(width=1080, height=1350)) == []
    assert words(P.INSTAGRAM, picture(width=1080, height=566)) == []
    assert words(P.INSTAGRAM, picture(width=1080, height=1400)) != []


def test_what_is_not_known_is_not_held_against_a_file() -> None:
    assert words(P.TIKTOK, MediaFacts("video/mp4", MIB)) == []
