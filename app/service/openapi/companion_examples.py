"""Examples of the companion API's requests and responses."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from app.contract import companion, tiktok

_ACCOUNT: Final = "0b9d2b55-7f4e-4a53-9f26-3c1d1f0a7e11"
_POST: Final = "5f0c3b1e-9a57-4c38-8f0d-2a6f5c7d9e42"
_CONNECTION: Final = "c2a4e6b8-1d3f-4a5b-9c7d-8e9f0a1b2c3d"
_SUBSCRIPTION: Final = "9e8d7c6b-5a49-4382-b716-0f1e2d3c4b5a"
_DELIVERY: Final = "d4c3b2a1-0f9e-4d8c-b7a6-958473625140"
_KEY: Final = "6a5b4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c2d"
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
        tiktok.UndecidedPosts: {"data": [_POST]},
        companion.CompleteConnection: {
            "address": "http://127.0.0.1:17217/callback/pinterest?code=YWJj&state=Qm9hcmQ"
        },
        companion.ConnectionOutcome: {
            "stage": "connected",
            "message": "Maya Makes on Pinterest is connected.",
            "connection_id": _CONNECTION,
            "choose_url": None,
        },
        companion.PlatformSetupList: {
            "data": [_SETUP_EXAMPLE],
        },
        companion.PlatformSetup: _SETUP_EXAMPLE,
        companion.SetPlatformApp: {"client_id": "1512345", "client_secret": "secret from the platform"},
        companion.ReconnectAccount: {"redirect_url": "http://127.0.0.1:50123/connected"},
        companion.PlatformSelfTest: {
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
