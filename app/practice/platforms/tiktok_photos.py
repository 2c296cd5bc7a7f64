"""What creators may choose on TikTok, and its Direct Post of photos: announced by URL and fetched."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from app.practice.desk import Desk
from app.practice.files import PullError, pulled
from app.practice.identities import Identity
from app.practice.ledger import Draft
from app.practice.quotas import Quota
from app.practice.uploads import Upload

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

_LONGEST_PHOTO = 20 * 1024 * 1024
_LONGEST_TITLE, _LONGEST_DESCRIPTION = 90, 4000  # UTF-16 units
_MOST_PHOTOS = 35
_KINDS = {"image/jpeg", "image/webp"}
_TO_INBOX = "MEDIA_UPLOAD"
PURPOSE = "photo"
# TikTok doesn't document a number. Users report this one, for all apps together.
POSTS = Quota("tiktok posts", 15)


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


class Photos:
    """Announced photos, which are fetched in the background after the response.

    Only the first photo is fetched, because the ledger only shows that one.
    """

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._name = name
        self._fetching: dict[int, asyncio.Task[None]] = {}

    def problem(self, asked: Mapping[str, Any], creator: Identity) -> tuple[int, str, str] | None:
        """Return status, code and message for an announcement that TikTok would refuse."""
        post, source = asked.get("post_info"), asked.get("source_info")
        if not isinstance(post, dict) or not isinstance(source, dict):
            return 400, "invalid_params", "post_info and source_info are required."
        mode = asked.get("post_mode")
        if asked.get("media_type") != "PHOTO" or mode not in {"DIRECT_POST", _TO_INBOX}:
            return (
                400,
                "invalid_params",
                "media_type must be PHOTO, post_mode DIRECT_POST or MEDIA_UPLOAD.",
            )
        if not _fits(post.get("title", ""), _LONGEST_TITLE):
            return 400, "invalid_params", "The title is longer than 90 UTF-16 units."
        if not _fits(post.get("description", ""), _LONGEST_DESCRIPTION):
            return 400, "invalid_params", "The description is longer than 4000 UTF-16 units."
        choice = None if mode == _TO_INBOX else choice_problem(post, creator)
        return choice or self._source_problem(source)

    def announce(self, account: str, asked: Mapping[str, Any]) -> Upload:
        """Store an announcement."""
        details = {"post": asked["post_info"], "address": asked["source_info"]["photo_images"][0]}
        if asked["post_mode"] == _TO_INBOX:
            details |= {"inbox": True, "caption": asked["post_info"].get("description", "")}
        return self._desk.uploads.open(self._name, account, purpose=PURPOSE, details=json.dumps(details))

    def fetch(self, upload: Upload) -> None:
        """Start fetching, or continue after a restart, unless it's in progress."""
        if not upload.used and upload.id not in self._fetching:
            task = asyncio.get_running_loop().create_task(self._fetch(upload))
            self._fetching[upload.id] = task
            task.add_done_callback(lambda _: self._fetching.pop(upload.id, None))

    def state(self, upload: Upload) -> dict[str, Any]:
        """Return TikTok's status of it."""
        details = json.loads(upload.details)
        if reason := details.get("failed"):
            return {"status": "FAILED", "fail_reason": reason}
        if not upload.used or not self._desk.uploads.is_ready(upload):
            return {"status": "PROCESSING_DOWNLOAD", "downloaded_bytes": upload.size}
        if details.get("inbox") and "id" not in details:
            return {"status": "SEND_TO_USER_INBOX"}
        ids = [int(details["id"])] if details.get("id") else []
        return {"status": "PUBLISH_COMPLETE", "publicaly_available_post_id": ids}

    def _source_problem(self, source: Mapping[str, Any]) -> tuple[int, str, str] | None:
        images = source.get("photo_images")
        if source.get("source") != "PULL_FROM_URL" or not isinstance(images, list):
            return 400, "invalid_params", "Photos are taken from PULL_FROM_URL and photo_images alone."
        if not 1 <= len(images) <= _MOST_PHOTOS or source.get("photo_cover_index") not in range(len(images)):
            return 400, "invalid_params", "There must be 1 to 35 photos, one of which is the cover."
        for image in images:
            if not isinstance(image, str) or not image.isascii() or not image.startswith("https://"):
                return 400, "invalid_params", "photo_images must be https addresses."
            if not self._is_verified(image):
                message = "Please review our URL ownership verification rules."
                return 403, "url_ownership_unverified", message
        return None

    def _is_verified(self, address: str) -> bool:
        """Whether the URL starts with a prefix that the developer has verified."""
        prefixes = self._desk.settings.verified_prefixes
        own = urlsplit(address)
        plain = f"{own.scheme}://{own.hostname}{own.path}"
        return any(address.startswith(prefix) or plain.startswith(prefix) for prefix in prefixes)

    async def _fetch(self, upload: Upload) -> None:
        uploads = self._desk.uploads
        details = json.loads(upload.details)
        if "failed" in details:
            return
        try:
            async with pulled(details["address"], longest=_LONGEST_PHOTO, kind="image/") as chunks:
                await uploads.receive(upload, 0, chunks, _LONGEST_PHOTO)
        except PullError:
            await asyncio.to_thread(
                uploads.note, upload, json.dumps({**details, "failed": "photo_pull_failed"})
            )
            return
        await asyncio.to_thread(self._publish, upload, details)

    def _publish(self, upload: Upload, details: dict[str, Any]) -> None:
        uploads, post = self._desk.uploads, details["post"]
        complete = uploads.finish(upload)
        if complete.kind not in _KINDS:
            uploads.note(upload, json.dumps({**details, "failed": "file_format_check_failed"}))
            return
        if details.get("inbox"):
            uploads.use(upload)
            return
        draft = Draft(
            self._name,
            upload.account,
            post.get("description", ""),
            title=post.get("title"),
            media_sha256=complete.sha256,
            labels=labels_of(post),
        )
        published = self._desk.ledger.accept(draft, str, repeatable=True)
        self._desk.quotas.count(POSTS, upload.account)
        is_public = post["privacy_level"] == "PUBLIC_TO_EVERYONE"
        uploads.note(upload, json.dumps({**details, "id": published.content_id if is_public else None}))
        uploads.use(upload)


def _fits(text: object, longest: int) -> bool:
    return isinstance(text, str) and len(text.encode("utf-16-le")) // 2 <= longest
