"""An example of each request and response, all for one account."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from app.contract import (
    analytics,
    companion,
    connections,
    history,
    media,
    moving,
    packs,
    places,
    platform_setup,
    posts,
    tiktok,
    usage,
    webhooks,
)

_ACCOUNT: Final = "0b9d2b55-7f4e-4a53-9f26-3c1d1f0a7e11"
_POST: Final = "5f0c3b1e-9a57-4c38-8f0d-2a6f5c7d9e42"
_CONNECTION: Final = "c2a4e6b8-1d3f-4a5b-9c7d-8e9f0a1b2c3d"
_SUBSCRIPTION: Final = "9e8d7c6b-5a49-4382-b716-0f1e2d3c4b5a"
_DELIVERY: Final = "d4c3b2a1-0f9e-4d8c-b7a6-958473625140"
_KEY: Final = "6a5b4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c2d"
_EXPORT: Final = "7b6a5948-3726-4150-8f9e-0d1c2b3a4958"
_CREATED: Final = "2035-11-21T08:15:30.250Z"

_KEY_EXAMPLE: Final = {
    "id": _KEY,
    "name": "Newsletter script",
    "hint": "9f3a",
    "scope": "api:full",
    "created_at": _CREATED,
    "expires_at": None,
    "revoked_at": None,
    "last_used_at": None,
}
_SETUP_EXAMPLE: Final = {
    "platform": "pinterest",
    "name": "Pinterest",
    "credentials": True,
    "redirect_uri": "http://127.0.0.1:17217/callback/pinterest",
    "by_hand": False,
    "publishes": ["image", "video"],
    "remarks": [],
    "portal": "https://developers.pinterest.com/apps",
    "steps": ["Connect an app and request trial access."],
    "secret_needed": True,
    "changeable": True,
}
_CHOICE_EXAMPLE: Final = {
    "privacy": "MUTUAL_FOLLOW_FRIENDS",
    "allow_comments": True,
    "allow_duet": False,
    "allow_stitch": False,
    "your_brand": True,
    "branded_content": False,
    "ai_generated": False,
}
_FILE_EXAMPLE: Final = {
    "storage_path": f"{_ACCOUNT}/wool-three-weights-4f1d9c2e.jpg",
    "filename": "Wool, three weights.jpg",
    "kind": "image",
    "content_type": "image/jpeg",
    "size_bytes": 482113,
    "width": 2048,
    "height": 1365,
    "duration_ms": None,
    "alt_text": "Three balls of wool on a table.",
    "cover_ms": None,
    "tiktok": {_CONNECTION: _CHOICE_EXAMPLE},
    "created_at": _CREATED,
    "used_in": [_POST],
}

COMPANION_EXAMPLES: Final[Mapping[type[BaseModel], dict[str, Any]]] = MappingProxyType(
    {
        companion.CompanionRoot: {"version": "1", "offers": ["attempts", "events"], "practice": False},
        companion.AttemptList: {
            "data": [
                {
                    "id": "b7a69584-7362-4514-8f3e-2d1c0b9a8f7e",
                    "post_id": _POST,
                    "step": "publish",
                    "outcome": "refused",
                    "started_at": "2035-11-25T08:30:00.020Z",
                    "finished_at": "2035-11-25T08:30:00.480Z",
                    "platform_code": "board_not_found",
                    "platform_message": "Board not found.",
                    "advice": "Pinterest rejected the post. Change it, then schedule it again.",
                }
            ]
        },
        companion.ReportOutcome: {"is_live": False},
        companion.CreateApiKey: {"name": "Newsletter script"},
        companion.ApiKey: _KEY_EXAMPLE,
        companion.CreatedApiKey: {**_KEY_EXAMPLE, "key": "stp_rest_" + "0" * 60 + "9f3a"},
        companion.SignInLink: {
            "url": "https://kalends.example.com/integrations/sign-in/Zm9yIG9uZSB1c2U",
            "expires_at": "2035-11-21T08:25:30.250Z",
        },
        companion.MediaFile: _FILE_EXAMPLE,
        companion.DescribeMedia: {"alt_text": "Three balls of wool on a table."},
        tiktok.TikTokCreator: {
            "nickname": "Maya Makes",
            "username": "mayamakes",
            "privacy_levels": ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
            "comments_disabled": False,
            "duet_disabled": True,
            "stitch_disabled": False,
            "max_video_seconds": 600,
        },
        tiktok.TikTokAccount: {"choice": _CHOICE_EXAMPLE},
        tiktok.SetTikTokAccount: {"choice": _CHOICE_EXAMPLE},
        tiktok.TikTokPost: {"choice": _CHOICE_EXAMPLE},
        tiktok.InboxPosts: {"data": [_POST]},
        tiktok.UndecidedPosts: {"data": [_POST]},
        companion.CompleteConnection: {
            "address": "http://127.0.0.1:17217/callback/pinterest?code=YWJj&state=Qm9hcmQ"
        },
        companion.ConnectPlace: {
            "platform": "bluesky",
            "handle": "maya.bsky.social",
            "app_password": "abcd-efgh-2345-6789",
        },
        places.ConnectServer: {"platform": "mastodon", "server": "@maya@mastodon.social"},
        places.PlaceLimits: {
            "text_max": 500,
            "link_length": 23,
            "alt_text_max": 1500,
            "content_types": ["image/jpeg", "image/png", "video/mp4"],
            "image_bytes_max": 16777216,
            "image_pixels_max": 33177600,
            "video_bytes_max": 103809024,
            "video_frame_rate_max": 120,
            "files_max": 4,
            "read_at": _CREATED,
        },
        companion.CreatePlacePost: {
            "social_account_id": _CONNECTION,
            "platform": "bluesky",
            "post_type": "text",
            "description": "Wool, and how to wash it #wool",
            "scheduled_at": "2035-11-26T18:00:00+01:00",
        },
        companion.CreateAnyPost: {
            "social_account_id": _CONNECTION,
            "platform": "x",
            "post_type": "text",
            "description": "Wool, and how to wash it #wool",
            "scheduled_at": "2035-11-26T18:00:00+01:00",
            "by_hand": True,
        },
        companion.PublishByHand: {"by_hand": True},
        companion.FinishPost: {"url": "https://x.com/mayamakes/status/1893"},
        companion.ConnectionOutcome: {
            "stage": "connected",
            "message": "Maya Makes on Pinterest is connected.",
            "connection_id": _CONNECTION,
            "choose_url": None,
        },
        platform_setup.PlatformSetupList: {
            "data": [_SETUP_EXAMPLE],
        },
        platform_setup.PlatformSetup: _SETUP_EXAMPLE,
        platform_setup.SetPlatformApp: {"client_id": "1512345", "client_secret": "secret from the platform"},
        packs.MakePack: {
            "maker": "Okafor Studio",
            "platforms": ["x"],
            "passphrase": "seven brown sheep",
        },
        moving.OfferExport: {"manifest": '{"format": "kalends-export", …}'},
        moving.BeginImport: {"passphrase": "four words and a number"},
        moving.CancelArrival: {"account_id": _ACCOUNT, "export_id": _EXPORT},
        moving.Arrival: {
            "account_id": _ACCOUNT,
            "export_id": _EXPORT,
            "state": "receiving",
            "problem": None,
            "done": 0.0,
            "missing": ["posts.ndjson"],
        },
        moving.BeginDeparture: {"passphrase": "four words and a number"},
        moving.Departure: {
            "account_id": _ACCOUNT,
            "export_id": None,
            "state": "writing",
            "problem": None,
            "has_secrets": False,
            "size_bytes": 0,
        },
        moving.ExportFile: {"name": "posts.ndjson", "size_bytes": 52_310},
        moving.ExportFileList: {"data": [{"name": "posts.ndjson", "size_bytes": 52_310}]},
        packs.MadePack: {"content": "kalends-pack 1\n…", "fingerprint": "9f3c 11d0 75ae b2c4 08e6"},
        packs.ReadPack: {"content": "kalends-pack 1\n…"},
        packs.UsePack: {"content": "kalends-pack 1\n…", "passphrase": "seven brown sheep"},
        packs.PackSummary: {
            "maker": "Okafor Studio",
            "note": "",
            "made_at": "2026-11-28T12:00:00.000Z",
            "fingerprint": "9f3c 11d0 75ae b2c4 08e6",
            "standing": "new",
            "passphrase_needed": False,
            "apps": [
                {
                    "platform": "x",
                    "name": "X",
                    "client_id": "app-7",
                    "scopes": ["tweet.read", "tweet.write"],
                    "redirect_uri": "http://127.0.0.1:17217/callback/x",
                    "returns": True,
                    "has_secret": False,
                    "secret_needed": False,
                    "replaces": False,
                    "changeable": True,
                }
            ],
        },
        companion.ReconnectAccount: {"redirect_url": "http://127.0.0.1:50123/connected"},
        platform_setup.PlatformSelfTest: {
            "platform": "pinterest",
            "passed": True,
            "checks": [
                {
                    "name": "reachable",
                    "outcome": "passed",
                    "message": "Pinterest can be reached.",
                }
            ],
        },
        companion.DeliveryDetails: {
            "id": _DELIVERY,
            "subscription_id": _SUBSCRIPTION,
            "url": "https://hooks.example.com/kalends",
            "request_headers": {"Content-Type": "application/json", "X-Service-Event": "post.published"},
            "request_body": '{"event_type": "post.published"}',
            "status_code": 204,
            "latency_ms": 83,
            "error_message": None,
            "created_at": _CREATED,
        },
        companion.QuotaList: {
            "data": [
                {
                    "action": "rest.posts.create",
                    "limit": 60,
                    "remaining": 58,
                    "window_seconds": 60,
                    "full_in_seconds": 2.0,
                }
            ]
        },
    }
)

_BATCH: Final = "7d1e5a90-33c2-4b6f-a8e4-6b0f9d2c1a75"
_SCHEDULED: Final = "2035-11-25T08:30:00.000Z"
_MEDIA: Final = f"{_ACCOUNT}/wool-three-weights-4f1d9c2e.jpg"

_POST_EXAMPLE: Final = {
    "id": _POST,
    "status": "scheduled",
    "platform": "pinterest",
    "post_type": "image",
    "title": "Wool, three weights",
    "description": "New colours from the dye pot.",
    "scheduled_at": _SCHEDULED,
    "posted_at": None,
    "social_account_id": _CONNECTION,
    "media_storage_path": _MEDIA,
    "batch_id": None,
    "created_at": _CREATED,
}
_CREATE_EXAMPLE: Final = {
    "social_account_id": _CONNECTION,
    "platform": "pinterest",
    "post_type": "image",
    "title": "Wool, three weights",
    "description": "New colours from the dye pot.",
    "media_storage_path": _MEDIA,
    "scheduled_at": "2035-11-25T09:30:00+01:00",
    "idempotency_key": "autumn-colours-1",
    "pinterest_board_id": "549755885175",
    "pinterest_link": "https://example.com/wool",
}
_NUMBERS: Final = {"views": 412, "likes": 38, "comments": 5, "shares": 9, "subscribers": 1840}
_METRIC_EXAMPLE: Final = {
    "id": "1f2e3d4c-5b6a-4798-8796-a5b4c3d2e1f0",
    "platform": "pinterest",
    "content_id": "813744226420795884",
    "metric_date": "2035-11-26",
    **_NUMBERS,
    "created_at": "2035-11-26T09:30:04.120Z",
}
_CONTENT_EXAMPLE: Final = {
    "id": "e1d2c3b4-a596-4877-8695-a4b3c2d1e0f9",
    "platform": "pinterest",
    "content_id": "813744226420795884",
    "scheduled_post_id": _POST,
    "title": "Wool, three weights",
    "description": "New colours from the dye pot.",
    "media_url": None,
    "media_type": "image",
    "status": "published",
    "batch_id": None,
    "created_via": "rest",
    "created_at": "2035-11-25T08:30:01.480Z",
}
_CONNECTION_EXAMPLE: Final = {
    "id": _CONNECTION,
    "platform": "pinterest",
    "account_identifier": "549755885170",
    "display_name": "Maya Makes",
    "username": "mayamakes",
    "avatar_url": "https://example.com/avatar.jpg",
    "is_verified": None,
    "follower_count": 1840,
    "is_available": True,
    "token_expires_at": "2035-12-21T08:15:30.000Z",
    "created_at": _CREATED,
}
_WEBHOOK_EXAMPLE: Final = {
    "id": _SUBSCRIPTION,
    "url": "https://hooks.example.com/kalends",
    "events": ["post.published", "post.failed"],
    "active": True,
    "failure_count": 0,
    "last_delivery_at": None,
    "last_disabled_at": None,
    "created_at": _CREATED,
    "updated_at": _CREATED,
}

_EXAMPLES: Final[Mapping[type[BaseModel], dict[str, Any]]] = MappingProxyType(
    {
        posts.Post: _POST_EXAMPLE,
        posts.CreatePost: _CREATE_EXAMPLE,
        posts.ReschedulePost: {"scheduled_at": "2035-11-26T18:00:00+01:00"},
        posts.PostDeleteResult: {"id": _POST, "action": "cancelled", "details": None},
        posts.BulkCreatePosts: {"posts": [_CREATE_EXAMPLE]},
        posts.BulkCreateResult: {
            "success": True,
            "batch_id": _BATCH,
            "total": 2,
            "inserted": 1,
            "duplicates": 0,
            "rejected": [
                {
                    "index": 1,
                    "code": "validation_error",
                    "message": "posts.1.scheduled_at: must be in the future",
                    "details": {
                        "errors": [
                            {
                                "field": "posts.1.scheduled_at",
                                "message": "must be in the future",
                                "type": "time_past",
                            }
                        ]
                    },
                }
            ],
            "posts": [{**_POST_EXAMPLE, "batch_id": _BATCH}],
        },
        posts.PostAnalytics: {
            "post_id": _POST,
            "content_id": "813744226420795884",
            "metrics": [{"metric_date": "2035-11-26", **_NUMBERS}],
        },
        companion.AnyPost: {**_POST_EXAMPLE, "by_hand": False},
        companion.Place: {**_CONNECTION_EXAMPLE, "platform": "bluesky"},
        companion.PlacePost: {
            **_POST_EXAMPLE,
            "platform": "mastodon",
            "options": {"content_warning": None, "visibility": "unlisted", "language": "en"},
        },
        companion.PlaceContent: {**_CONTENT_EXAMPLE, "platform": "bluesky"},
        companion.PlaceMetric: {**_METRIC_EXAMPLE, "platform": "bluesky"},
        connections.Connection: _CONNECTION_EXAMPLE,
        connections.InitiateConnection: {
            "platform": "pinterest",
            "redirect_url": "https://example.com/connected",
        },
        connections.ConnectionInitiation: {
            "connect_url": "https://www.pinterest.com/oauth/?client_id=1234567&state=Qm9hcmQ",
            "state": "Qm9hcmQ",
            "expires_at": "2035-11-21T08:30:30.250Z",
            "connection_id": _CONNECTION,
        },
        connections.Reauthorization: {
            "reauth_url": "https://www.pinterest.com/oauth/?client_id=1234567&state=Qm9hcmQ",
            "account": {**_CONNECTION_EXAMPLE, "is_available": False},
        },
        connections.PinterestBoardPage: {
            "data": [
                {
                    "id": "549755885175",
                    "name": "Autumn",
                    "description": None,
                    "privacy": "PUBLIC",
                    "pin_count": 24,
                }
            ],
            "bookmark": None,
        },
        media.RequestUploadUrl: {
            "filename": "wool three weights.jpg",
            "content_type": "image/jpeg",
            "size_bytes": 482113,
        },
        media.UploadUrl: {
            "upload_url": f"https://kalends.example.com/media/{_MEDIA}?token=eyJzaXplIjo0ODIxMTN9",
            "storage_path": _MEDIA,
            "token": "eyJzaXplIjo0ODIxMTN9",
            "expires_in_seconds": 7200,
        },
        media.AttachFromUrl: {"url": "https://example.com/wool.jpg", "filename": "wool.jpg"},
        media.MediaImport: {
            "success": True,
            "storage_path": _MEDIA,
            "content_type": "image/jpeg",
            "size_bytes": 482113,
        },
        media.MediaView: {
            "view_url": f"https://kalends.example.com/media/{_MEDIA}?token=eyJ1bnRpbCI6MTd9",
            "expires_in_seconds": 300,
        },
        media.MediaDeleteResult: {"storage_path": _MEDIA, "deleted": True},
        webhooks.CreateWebhook: {
            "url": "https://hooks.example.com/kalends",
            "events": ["post.published", "post.failed"],
        },
        webhooks.UpdateWebhook: {"active": True},
        webhooks.TestWebhook: {"event_type": "post.published"},
        webhooks.WebhookSubscription: _WEBHOOK_EXAMPLE,
        webhooks.CreatedWebhookSubscription: {
            **_WEBHOOK_EXAMPLE,
            "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        },
        webhooks.WebhookTestResult: {
            "delivery_id": _DELIVERY,
            "subscription_id": _SUBSCRIPTION,
            "status_code": 204,
            "latency_ms": 83.4,
            "delivered_at": _CREATED,
            "error_message": None,
        },
        webhooks.WebhookDelivery: {
            "id": _DELIVERY,
            "event_type": "post.published",
            "event_id": "3c2b1a09-8f7e-4d6c-a5b4-938271605f4e",
            "status_code": 204,
            "attempt": 1,
            "latency_ms": 83.4,
            "delivered_at": _CREATED,
            "failed_at": None,
            "error_message": None,
            "created_at": _CREATED,
        },
        webhooks.WebhookReplayResult: {
            "subscription_id": _SUBSCRIPTION,
            "original_delivery_id": _DELIVERY,
            "event_type": "post.published",
            "message": "The event is delivered again; a new delivery appears shortly.",
        },
        webhooks.WebhookDeleteResult: {"id": _SUBSCRIPTION, "deleted": True},
        analytics.Metric: _METRIC_EXAMPLE,
        history.ContentRecord: _CONTENT_EXAMPLE,
        usage.Usage: {
            "plan": "creator",
            "status": "active",
            "current_period_end": "2035-12-01T00:00:00.000Z",
            "period": "month",
            "actions": {"rest.posts.create": 41, "rest.media.upload_url": 17},
            "storage": {
                "used_bytes": 482113,
                "cap_bytes": 25000000000,
                "used_human": "482.1 kB",
                "cap_human": "25 GB",
            },
        },
    }
)


def example_of(model: type[BaseModel]) -> dict[str, Any] | None:
    """Return the example of a model; for a page, with a single item."""
    if (own := _own(model)) is not None:
        return own
    items = [own for item in model.__pydantic_generic_metadata__["args"] if (own := _own(item))]
    return {"data": items, "next_cursor": None} if items else None


def _own(model: type[BaseModel]) -> dict[str, Any] | None:
    return _EXAMPLES.get(model) or COMPANION_EXAMPLES.get(model)
