"""TikTok: Login Kit, Content Posting API and Display API."""

from typing import Final

from tests.platforms.specs.described.words import (
    FLAG,
    NUMBER,
    TEXT,
    call,
    document,
    grants,
    like,
    one_of,
    record,
    several,
    up_to,
)

_TIKTOK_CLIENT: Final = {"client_key": TEXT, "client_secret": TEXT}
_POST_INFO: Final = record(
    title=up_to(2200, 0),
    privacy_level=one_of("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"),
    optional={
        "disable_duet": FLAG,
        "disable_stitch": FLAG,
        "disable_comment": FLAG,
        "video_cover_timestamp_ms": NUMBER,
        "brand_content_toggle": FLAG,
        "brand_organic_toggle": FLAG,
        "is_aigc": FLAG,
    },
)
_PHOTO_INFO: Final = record(
    optional={
        "privacy_level": _POST_INFO["properties"]["privacy_level"],  # only for Direct Post
        "title": up_to(90, 0),
        "description": up_to(4000, 0),
        "disable_comment": FLAG,
        "auto_add_music": FLAG,
        "brand_content_toggle": FLAG,
        "brand_organic_toggle": FLAG,
    },
)
_FILE: Final = record(
    source=one_of("FILE_UPLOAD"),
    video_size={"type": "integer", "minimum": 1, "maximum": 4 * 1024**3},
    chunk_size={"type": "integer", "minimum": 1, "maximum": 64 * 1024**2},
    total_chunk_count={"type": "integer", "minimum": 1, "maximum": 1000},
)
_PHOTOS: Final = record(
    source=one_of("PULL_FROM_URL"), photo_images=several(like("https://.+"), 35), photo_cover_index=NUMBER
)
_USER_FIELDS: Final = "open_id|union_id|avatar_url|display_name|username|is_verified|follower_count"
_VIDEO_FIELDS: Final = "id|view_count|like_count|comment_count|share_count|create_time|share_url"
DOCUMENT: Final = document(
    {
        "post /v2/oauth/token/": call(body=grants(_TIKTOK_CLIENT, verifier=True)),
        "get /v2/user/info/": call(
            query={"fields": like(f"(({_USER_FIELDS})(,|$))+")},
            scopes=("user.info.basic", "user.info.profile", "user.info.stats"),
        ),
        "post /v2/post/publish/creator_info/query/": call(
            body={"application/json": record()}, scopes=("video.publish",)
        ),
        "post /v2/post/publish/video/init/": call(
            body={"application/json": record(post_info=_POST_INFO, source_info=_FILE)},
            scopes=("video.publish",),
        ),
        "post /v2/post/publish/inbox/video/init/": call(
            body={"application/json": record(source_info=_FILE)}, scopes=("video.upload",)
        ),
        "post /v2/post/publish/content/init/": call(
            body={
                "application/json": record(
                    post_info=_PHOTO_INFO,
                    source_info=_PHOTOS,
                    post_mode=one_of("DIRECT_POST", "MEDIA_UPLOAD"),
                    media_type=one_of("PHOTO"),
                )
            },
            scopes=("video.publish",),
        ),
        "post /v2/post/publish/status/fetch/": call(
            body={"application/json": record(publish_id=up_to(64))}, scopes=("video.publish",)
        ),
        "put /video/{key}": call(
            headers={"content-range": like(r"bytes \d+-\d+/\d+"), "content-length": like(r"\d+")},
            body={"video/mp4": {}, "video/quicktime": {}, "video/webm": {}},
        ),
        "post /v2/video/query/": call(
            query={"fields": like(f"(({_VIDEO_FIELDS})(,|$))+")},
            body={"application/json": record(filters=record(video_ids=several(like(r"\d+"), 20)))},
            scopes=("video.list",),
        ),
    }
)
