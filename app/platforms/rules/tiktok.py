"""TikTok's rules for a creator's choice: what the composer checks, and what is sent.

Follows the Content Posting API's guidelines: no default audience, only audiences that TikTok currently offers
the creator, and no branded content that only its creator can see.
"""

from typing import Final

from app.contract.enums import PostType
from app.contract.tiktok import TikTokChoice, TikTokCreator, TikTokPrivacy
from app.language import tr, trn
from app.platforms.rules.checking import RuleIssue

PRIVACY: Final = "tiktok_privacy"
COMMERCIAL: Final = "tiktok_commercial"
LENGTH: Final = "media_storage_path"
"""The fields in issues; the first two aren't part of the contract's create body."""

UNDECIDED: Final = "Choose who can see it on TikTok, in the composer or for the account."
"""The service's message for a post without a choice."""


def choice_issues(
    choice: TikTokChoice | None,
    creator: TikTokCreator | None,
    post_type: PostType = PostType.VIDEO,
    duration_ms: int | None = None,
) -> list[RuleIssue]:
    """Return all problems with a choice; empty if it's valid.

    Without ``creator``, it isn't known what TikTok allows the account, and only the rest is checked.
    """
    if choice is None:
        return [RuleIssue(PRIVACY, tr("Choose who can see it on TikTok."), "missing")]
    found = []
    if creator is not None and choice.privacy not in creator.privacy_levels:
        message = tr(
            "TikTok no longer offers that audience for this account. Choose again who can see the post."
        )
        found.append(RuleIssue(PRIVACY, message, "not_offered"))
    if choice.branded_content and choice.privacy is TikTokPrivacy.ONLY_ME:
        message = tr("Branded content can't be visible to only you on TikTok. Choose who else can see it.")
        found.append(RuleIssue(PRIVACY, message, "branded_private"))
    longest = creator.max_video_seconds if creator else None
    if post_type is PostType.VIDEO and longest is not None and (duration_ms or 0) > longest * 1000:
        message = trn(
            "TikTok lets this account post videos of up to {n} second.",
            "TikTok lets this account post videos of up to {n} seconds.",
            longest,
        )
        found.append(RuleIssue(LENGTH, message, "too_long"))
    return found


def post_info(choice: TikTokChoice, creator: TikTokCreator, post_type: PostType) -> dict[str, object]:
    """Return the fields of TikTok's call for a choice.

    Options that the creator has disabled stay disabled. TikTok has no duets, stitches or AI labels for
    photos.
    """
    info: dict[str, object] = {
        "privacy_level": choice.privacy.value,
        "disable_comment": creator.comments_disabled or not choice.allow_comments,
        "brand_content_toggle": choice.branded_content,
        "brand_organic_toggle": choice.your_brand,
    }
    if post_type is PostType.VIDEO:
        info["disable_duet"] = creator.duet_disabled or not choice.allow_duet
        info["disable_stitch"] = creator.stitch_disabled or not choice.allow_stitch
        info["is_aigc"] = choice.ai_generated
    return info
