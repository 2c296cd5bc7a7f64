"""What is missing or invalid in a choice for TikTok while the user makes it."""

from typing import Final

from app.contract.enums import PostType
from app.contract.tiktok import TikTokCreator
from app.language import tr
from app.platforms.rules import RuleIssue
from app.platforms.rules.tiktok import PRIVACY, choice_issues
from app.workspace.tiktok.choice import TikTokDraft

__all__ = ["COMMERCIAL", "PRIVACY", "issues"]

COMMERCIAL: Final = "tiktok_commercial"


def issues(
    draft: TikTokDraft, creator: TikTokCreator | None, post_type: PostType, duration_ms: int | None
) -> list[RuleIssue]:
    """Return everything that is missing or that TikTok would refuse; empty when nothing is."""
    found = choice_issues(draft.choice, creator, post_type, duration_ms)
    if draft.is_undisclosed:
        message = tr("Say whether the post on TikTok promotes yourself, a third party, or both.")
        found.append(RuleIssue(COMMERCIAL, message, "undisclosed"))
    return found
