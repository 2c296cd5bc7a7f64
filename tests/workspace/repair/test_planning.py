"""Plans: a copy that is promised keeps the rules, and what cannot be promised is said."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceLimits
from app.media.protocol import Crop, Fault, ProbeResult, Recipe, Step
from app.platforms.rules import FILES
from app.workspace.messages import Problem
from app.workspace.repair.planning import Subject, Target, Wishes, expected, issues, plan
from app.workspace.rules import check_file

MIB = 1024**2
INSTAGRAM, X, TIKTOK = PostingPlatform.INSTAGRAM, PostingPlatform.X, PostingPlatform.TIKTOK
LINKEDIN, PINTEREST = PostingPlatform.LINKEDIN, PostingPlatform.PINTEREST


def image(
    content_type: str = "image/jpeg", *, width: int = 1080, height: int = 1080, size: int = MIB
) -> Subject:
    return Subject(PostType.IMAGE, content_type, size, ProbeResult(width=width, height=height))


def video(
    content_type: str = "video/mp4",
    *,
    codec: str = "h264",
    sound: str = "aac",
    duration_ms: int = 30_000,
    rate: float = 30.0,
    size: int = 20 * MIB,
    width: int = 1280,
    height: int = 720,
) -> Subject:
    seen = ProbeResult(width, height, duration_ms, codec, sound, rate)
    return Subject(PostType.VIDEO, content_type, size, seen)


def planned(subject: Subject, *platforms: PostingPlatform, wishes: Wishes | None = None) -> Recipe:
    recipe = plan(subject, [Target(each) for each in platforms], wishes)
    assert recipe is not None
    return recipe


def test_a_file_that_is_taken_needs_no_copy() -> None:
    assert plan(image(), [Target(INSTAGRAM), Target(X)]) is None
    assert plan(video(), [Target(INSTAGRAM), Target(X)]) is None


@pytest.mark.parametrize("content_type", ["image/heic", "image/webp", "image/avif"])
def test_what_is_not_taken_becomes_jpeg(content_type: str) -> None:
    recipe = planned(image(content_type), INSTAGRAM)
    assert (recipe.content_type, recipe.steps) == ("image/jpeg", (Step.CONVERT,))


def test_a_tall_image_is_cropped_around_its_middle_or_where_a_person_wants() -> None:
    tall = image(width=1080, height=1920)
    assert planned(tall, INSTAGRAM).crop == Crop(0, 285, 1080, 1350)
    assert planned(tall, INSTAGRAM, wishes=Wishes(down=0)).crop == Crop(0, 0, 1080, 1350)
    assert planned(tall, INSTAGRAM, wishes=Wishes(down=1)).crop == Crop(0, 570, 1080, 1350)


def test_a_wide_image_is_cropped_too() -> None:
    crop = planned(image(width=4000, height=1000), INSTAGRAM).crop
    assert crop == Crop(1045, 0, 1910, 1000)


def test_an_image_with_too_many_pixels_is_scaled_down() -> None:
    assert planned(image(width=4000, height=3000), TIKTOK).size == (1920, 1440)


def test_a_moving_image_keeps_its_first_picture_and_says_so() -> None:
    gif = Subject(PostType.IMAGE, "image/gif", MIB, ProbeResult(width=600, height=600, is_moving=True))
    assert planned(gif, INSTAGRAM).steps == (Step.FIRST_PICTURE, Step.CONVERT)


def test_a_mov_is_put_into_an_mp4_bit_by_bit() -> None:
    recipe = planned(video("video/quicktime"), LINKEDIN)
    assert recipe.steps == (Step.CONVERT,)
    assert (recipe.encodes_video, recipe.encodes_sound) == (False, False)


def test_only_what_is_strange_is_coded_anew() -> None:
    recipe = planned(video("video/quicktime", sound="pcm_s16le"), INSTAGRAM)
    assert (recipe.encodes_video, recipe.encodes_sound) == (False, True)
    recipe = planned(video("video/quicktime", codec="prores", sound=""), INSTAGRAM)
    assert (recipe.encodes_video, recipe.encodes_sound) == (True, False)


def test_a_long_video_is_trimmed_where_a_person_wants_and_never_past_its_end() -> None:
    long = video(duration_ms=200_000)
    assert planned(long, X).length_ms == 140_000
    assert planned(long, X, wishes=Wishes(start_ms=30_000)).start_ms == 30_000
    assert planned(long, X, wishes=Wishes(start_ms=190_000)).start_ms == 60_000
    assert not planned(long, X).encodes_video


def test_a_video_that_is_too_large_is_coded_with_fewer_bits() -> None:
    recipe = planned(video(duration_ms=600_000, size=900 * MIB), INSTAGRAM)
    assert Step.COMPRESS in recipe.steps
    assert recipe.encodes_video


def test_the_narrowest_of_several_rules_counts() -> None:
    recipe = planned(image("image/webp", width=1080, height=1920, size=6 * MIB), INSTAGRAM, PINTEREST, X)
    assert (recipe.content_type, recipe.bytes_max) == ("image/jpeg", 5 * MIB)
    assert recipe.crop is not None


@pytest.mark.parametrize(
    ("subject", "platform", "said"),
    [
        (
            video(duration_ms=1_000),
            INSTAGRAM,
            "Instagram needs videos of at least 3 seconds; this one is 1 second.",
        ),
        (
            video(width=200, height=100),
            TIKTOK,
            "TikTok needs 360 to 4,096 pixels per side; this file is 200 by 100.",
        ),
    ],
)
def test_what_no_copy_can_mend_is_said(subject: Subject, platform: PostingPlatform, said: str) -> None:
    with pytest.raises(Problem) as caught:
        plan(subject, [Target(platform)])
    assert said in caught.value.text


def test_a_copy_is_as_small_as_the_accounts_server_takes() -> None:
    small = Target(
        PostingPlatform("mastodon"), PlaceLimits(image_bytes_max=MIB, content_types=["image/jpeg"])
    )
    recipe = plan(image("image/png", size=3 * MIB), [small])
    assert recipe is not None
    assert (recipe.content_type, recipe.bytes_max) == ("image/jpeg", MIB)
    assert plan(image("image/png", size=3 * MIB), [Target(PostingPlatform("mastodon"))]) is None


def test_a_broken_file_is_not_repaired() -> None:
    with pytest.raises(Problem):
        plan(
            Subject(PostType.IMAGE, "image/webp", MIB, ProbeResult(fault=Fault.CUT_OFF)), [Target(INSTAGRAM)]
        )


_SEEN = st.builds(
    ProbeResult,
    width=st.integers(1, 65_535),
    height=st.integers(1, 65_535),
    duration_ms=st.none() | st.integers(0, 14 * 3_600_000),
    video_codec=st.sampled_from(["h264", "hevc", "vp9", "prores", "av1", "mpeg4"]),
    audio_codec=st.sampled_from(["", "aac", "opus", "pcm_s16le", "mp3"]),
    frame_rate=st.none() | st.floats(0.5, 240),
    is_moving=st.booleans(),
)
_KINDS = {
    PostType.IMAGE: ("image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/avif"),
    PostType.VIDEO: ("video/mp4", "video/quicktime", "video/webm", "video/x-matroska", "video/x-msvideo"),
}
_SUBJECTS = st.sampled_from([PostType.IMAGE, PostType.VIDEO]).flatmap(
    lambda post_type: st.builds(
        Subject, st.just(post_type), st.sampled_from(_KINDS[post_type]), st.integers(1, 10**10), _SEEN
    )
)
_PLATFORMS = st.sets(st.sampled_from(sorted({platform for platform, _ in FILES}, key=str)), min_size=1)
_WISHES = st.builds(Wishes, st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**8))


@given(_SUBJECTS, _PLATFORMS, _WISHES)
def test_what_is_promised_keeps_every_rule_and_lies_within_the_file(
    subject: Subject, platforms: Collection[PostingPlatform], wishes: Wishes
) -> None:
    targets = [Target(each) for each in platforms]
    try:
        recipe = plan(subject, targets, wishes)
    except Problem:
        assert issues(subject, targets)
        return
    if recipe is None:
        assert issues(subject, targets) == []
        return
    facts = expected(subject, recipe)
    assert [issue for each in platforms for issue in check_file(each, subject.post_type, facts)] == []
    assert recipe.steps
    assert Recipe.from_json(recipe.to_json()) == recipe
    if recipe.crop is not None:
        left, top, width, height = recipe.crop
        assert min(left, top) >= 0
        assert min(width, height) > 0
        assert left + width <= (subject.probed.width or 0)
        assert top + height <= (subject.probed.height or 0)
    if recipe.length_ms is not None:
        assert recipe.start_ms + recipe.length_ms <= (subject.probed.duration_ms or 0)
