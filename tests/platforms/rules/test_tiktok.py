"""Laws of what TikTok is told: only what it offers the creator, and only what the creator chose."""

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostType
from app.contract.tiktok import TikTokChoice, TikTokCreator, TikTokPrivacy
from app.platforms.rules.tiktok import PRIVACY, choice_issues, post_info

PRIVACIES = st.sampled_from(TikTokPrivacy)
CHOICES = st.builds(
    TikTokChoice,
    privacy=PRIVACIES,
    allow_comments=st.booleans(),
    allow_duet=st.booleans(),
    allow_stitch=st.booleans(),
    your_brand=st.booleans(),
    branded_content=st.booleans(),
    ai_generated=st.booleans(),
)
CREATORS = st.builds(
    TikTokCreator,
    privacy_levels=st.lists(PRIVACIES, unique=True),
    comments_disabled=st.booleans(),
    duet_disabled=st.booleans(),
    stitch_disabled=st.booleans(),
    max_video_seconds=st.none() | st.integers(0, 3_600),
)
KINDS = st.sampled_from([PostType.VIDEO, PostType.IMAGE])
LENGTHS = st.none() | st.integers(0, 4_000_000)


@given(choice=CHOICES, creator=CREATORS, kind=KINDS, length=LENGTHS)
def test_what_is_sent_is_what_tiktok_offers_and_the_creator_chose(
    choice: TikTokChoice, creator: TikTokCreator, kind: PostType, length: int | None
) -> None:
    issues = choice_issues(choice, creator, kind, length)
    info = post_info(choice, creator, kind)
    is_offered = choice.privacy in creator.privacy_levels
    is_private_ad = choice.branded_content and choice.privacy is TikTokPrivacy.ONLY_ME
    assert (PRIVACY in {one.field for one in issues}) == (not is_offered or is_private_ad)
    if not issues:
        assert info["privacy_level"] in [level.value for level in creator.privacy_levels]
        assert not (info["brand_content_toggle"] and info["privacy_level"] == "SELF_ONLY")
    assert info["privacy_level"] == choice.privacy.value
    for name, is_off, is_allowed in (
        ("disable_comment", creator.comments_disabled, choice.allow_comments),
        ("disable_duet", creator.duet_disabled, choice.allow_duet),
        ("disable_stitch", creator.stitch_disabled, choice.allow_stitch),
    ):
        assert info.get(name, True) is True or (is_allowed and not is_off)
        assert info.get(name, False) is False or (is_off or not is_allowed)
    assert (info["brand_content_toggle"], info["brand_organic_toggle"]) == (
        choice.branded_content,
        choice.your_brand,
    )
    assert info.get("is_aigc", choice.ai_generated) == choice.ai_generated
    assert ("is_aigc" in info) == ("disable_duet" in info) == (kind is PostType.VIDEO)


@given(choice=CHOICES, creator=CREATORS, length=st.integers(0, 4_000_000))
def test_a_video_is_at_most_as_long_as_the_account_may_post(
    choice: TikTokChoice, creator: TikTokCreator, length: int
) -> None:
    longest = creator.max_video_seconds
    is_too_long = longest is not None and length > longest * 1_000
    found = {one.type for one in choice_issues(choice, creator, PostType.VIDEO, length)}
    assert ("too_long" in found) == is_too_long
    assert "too_long" not in {one.type for one in choice_issues(choice, creator, PostType.IMAGE, length)}


@given(choice=CHOICES)
def test_what_tiktok_offers_is_not_guessed(choice: TikTokChoice) -> None:
    found = {one.type for one in choice_issues(choice, None)}
    assert found <= {"branded_private"}


def test_nobody_has_chosen() -> None:
    [issue] = choice_issues(None, None)
    assert (issue.field, issue.type) == (PRIVACY, "missing")
