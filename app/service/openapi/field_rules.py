"""Rules of fields that their types don't tell, as the description of the API has them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from app.contract.media import RequestUploadUrl
from app.contract.media_kinds import KINDS
from app.contract.posts import CreatePost

FIELD_RULES: Final[Mapping[type[BaseModel], Mapping[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        CreatePost: {
            "social_account_id": {"description": "a connected account, by the `id` of `GET /connections`"},
            "platform": {"description": "must match the account"},
            "post_type": {"description": "must be one that the platform takes"},
            "description": {"description": "may be null, but not for a text post"},
            "media_storage_path": {
                "description": "required for `image` and `video`: the `storage_path` of an uploaded file"
            },
            "scheduled_at": {
                "description": "RFC 3339, in the future; without it the post is published immediately"
            },
            "idempotency_key": {"description": "makes it safe to repeat the call"},
            "batch_id": {"description": "groups posts; in a bulk call the service chooses it"},
            "pinterest_board_id": {"description": "required on Pinterest"},
            "pinterest_board_name": {"description": "for information"},
        },
        RequestUploadUrl: {
            "content_type": {"enum": [kind.content_type for kind in KINDS]},
            "size_bytes": {"description": "the exact size of the file"},
        },
    }
)
"""What is added to the schema of a field, by model."""
