"""X: API v2, by X's own document 2.167."""

from typing import Final

from tests.platforms.specs.described.words import (
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

_ID: Final = like(r"\d{1,19}")
_READ: Final = ("tweet.read", "users.read")
_POST_FIELDS: Final = several(
    one_of("created_at", "edit_history_tweet_ids", "entities", "attachments", "public_metrics"), 10
)
_UPLOAD: Final = ("media.write",)
DOCUMENT: Final = document(
    {
        "post /2/oauth2/token": call(body=grants({}, verifier=True)),
        "get /2/users/me": call(
            query={
                "user.fields": several(
                    one_of(
                        "profile_image_url",
                        "public_metrics",
                        "verified",
                        "verified_type",
                        "name",
                        "username",
                    ),
                    10,
                )
            },
            scopes=_READ,
        ),
        "post /2/tweets": call(
            body={
                "application/json": record(text=TEXT, optional={"media": record(media_ids=several(_ID, 4))})
            },
            scopes=("tweet.write", *_READ),
        ),
        "get /2/tweets": call(query={"ids": several(_ID, 100), "post.fields": _POST_FIELDS}, scopes=_READ),
        "get /2/users/{id}/tweets": call(
            query={
                "max_results": {"type": "integer", "minimum": 5, "maximum": 100},
                "start_time": like(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
                "post.fields": _POST_FIELDS,
            },
            optional_query={"pagination_token": TEXT},
            path={"id": _ID},
            scopes=_READ,
        ),
        "post /2/media/upload": call(
            body={"multipart/form-data": record(media=TEXT, media_category=one_of("tweet_image"))},
            scopes=_UPLOAD,
        ),
        "get /2/media/upload": call(query={"command": one_of("STATUS"), "media_id": _ID}, scopes=_UPLOAD),
        "post /2/media/upload/initialize": call(
            body={
                "application/json": record(
                    media_type=one_of("video/mp4", "video/quicktime", "image/gif"),
                    total_bytes={"type": "integer", "minimum": 1, "maximum": 17_179_869_184},
                    media_category=one_of("tweet_video", "tweet_gif"),
                )
            },
            scopes=_UPLOAD,
        ),
        "post /2/media/upload/{id}/append": call(
            body={"multipart/form-data": record(media=TEXT, segment_index=like(r"\d{1,3}"))},
            path={"id": _ID},
            scopes=_UPLOAD,
        ),
        "post /2/media/upload/{id}/finalize": call(path={"id": _ID}, scopes=_UPLOAD),
        "post /2/media/metadata": call(
            body={"application/json": record(id=_ID, metadata=record(alt_text=record(text=up_to(1000))))},
            scopes=_UPLOAD,
        ),
    }
)
