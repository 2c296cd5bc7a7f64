"""A creator's options on the practice TikTok, and the resulting labels of a post."""

from collections.abc import Mapping
from typing import Any

from app.practice.identities import Identity

PRIVATE_ACCOUNT = "ines-duarte"
"""A user with a private account, without duets and stitches, for trying both cases."""

_EVERYONE, _FRIENDS, _FOLLOWERS = "PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR"
_ONLY_ME = "SELF_ONLY"
_SEEN_BY = {
    _EVERYONE: "Everyone",
    _FRIENDS: "Friends",
    _FOLLOWERS: "Followers",
    _ONLY_ME: "Only me",
}
_FLAGS = (
    "disable_comment",
    "disable_duet",
    "disable_stitch",
    "brand_content_toggle",
    "brand_organic_toggle",
    "is_aigc",
)


def creator_info(person: Identity) -> dict[str, Any]:
    """Return the response of ``creator_info/query``."""
    is_private = person.account == PRIVATE_ACCOUNT
    return {
        "creator_nickname": person.display_name,
        "creator_username": person.handle,
        "privacy_level_options": [_FOLLOWERS if is_private else _EVERYONE, _FRIENDS, _ONLY_ME],
        "comment_disabled": False,
        "duet_disabled": is_private,
        "stitch_disabled": is_private,
        "max_video_post_duration_sec": 600,
    }


def choice_problem(post: Mapping[str, Any], person: Identity) -> tuple[int, str, str] | None:
    """Return status, code and message for a choice that TikTok would refuse."""
    if any(not isinstance(post.get(name, False), bool) for name in _FLAGS):
        return 400, "invalid_params", "The switches of post_info must be true or false."
    privacy = post.get("privacy_level")
    if privacy is None:
        return 400, "invalid_params", "privacy_level is required."
    if privacy not in creator_info(person)["privacy_level_options"]:
        message = "The privacy level is not one of the creator's options."
        return 403, "privacy_level_option_mismatch", message
    if post.get("brand_content_toggle") and privacy == _ONLY_ME:
        return 400, "invalid_params", "Branded content visibility cannot be set to private."
    return None


def labels_of(post: Mapping[str, Any]) -> str:
    """Return the labels shown with the post, in one line."""
    labels = [_SEEN_BY[post["privacy_level"]]]
    if post.get("brand_content_toggle"):
        labels.append("Paid partnership")
    elif post.get("brand_organic_toggle"):
        labels.append("Promotional content")
    if post.get("is_aigc"):
        labels.append("Creator labeled as AI-generated")
    off = ("disable_comment", "No comments"), ("disable_duet", "No duets"), ("disable_stitch", "No stitches")
    labels += [words for name, words in off if post.get(name)]
    return " · ".join(labels)
