"""A choice for TikTok in words."""

from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.language import tr

_SEEN_BY = {
    TikTokPrivacy.EVERYONE: tr("Everyone"),
    TikTokPrivacy.FRIENDS: tr("Friends"),
    TikTokPrivacy.FOLLOWERS: tr("Followers"),
    TikTokPrivacy.ONLY_ME: tr("Only me"),
}


def privacy_words(privacy: str) -> str:
    """Return who sees a post; a level that isn't known here as TikTok writes it."""
    level = TikTokPrivacy(privacy)
    return _SEEN_BY.get(level, level.value)


def choice_words(choice: TikTokChoice) -> str:
    """Return a choice in one line: who can see the post, and its labels."""
    labels = [privacy_words(choice.privacy)]
    if choice.branded_content:
        labels.append(tr("Paid partnership"))
    elif choice.your_brand:
        labels.append(tr("Promotional content"))
    if choice.ai_generated:
        labels.append(tr("AI-generated"))
    return tr("On TikTok: {labels}", labels=" · ".join(labels))
