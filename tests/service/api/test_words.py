"""The words of refusals: they continue the field's name, and none are those of the validator."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from app.contract.companion import (
    CompleteConnection,
    CreateApiKey,
    DescribeMedia,
    PostRangeQuery,
    ReconnectAccount,
)
from app.contract.connections import BoardListQuery, ConnectionListQuery, InitiateConnection
from app.contract.media import AttachFromUrl, MediaViewQuery, RequestUploadUrl
from app.contract.platform_setup import SetPlatformApp
from app.contract.posts import BulkCreatePosts, CreatePost, DeletePostQuery, PostListQuery, ReschedulePost
from app.contract.webhooks import CreateWebhook, TestWebhook, UpdateWebhook
from app.service.api.responses import from_pydantic

BODIES = (
    AttachFromUrl,
    BulkCreatePosts,
    CompleteConnection,
    CreateApiKey,
    CreatePost,
    CreateWebhook,
    DescribeMedia,
    InitiateConnection,
    ReconnectAccount,
    RequestUploadUrl,
    ReschedulePost,
    SetPlatformApp,
    TestWebhook,
    UpdateWebhook,
)
QUERIES = (
    BoardListQuery,
    ConnectionListQuery,
    DeletePostQuery,
    MediaViewQuery,
    PostListQuery,
    PostRangeQuery,
)
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    "",
    " ",
    "x",
    "x" * 20_000,
    "\x01",
    "\ud800",
    f"http://{'a' * 3_000}",
    [],
    [1],
    ["x"] * 40,
    {},
)
_SENTENCE = ("Send at least one of ", "The request body ")
_RULE = ("must ", "is required", "needs ", "doesn't ", "is no ")


def _told(model: type[BaseModel], value: Any) -> list[str]:
    try:
        if model in QUERIES:
            model.model_validate_strings(value)
        else:
            model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        return [issue.message for issue in from_pydantic(error).details]
    return []


@pytest.mark.parametrize("model", [*BODIES, *QUERIES], ids=lambda model: model.__name__)
def test_what_is_wrong_is_said_in_plain_words(model: type[BaseModel]) -> None:
    bodies: list[Any] = [{name: value} for name in model.model_fields for value in WRONG]
    if model in QUERIES:
        bodies = [body for body in bodies if isinstance(next(iter(body.values())), str)]
    else:
        bodies += [[], 3, "x", None]
    messages = {message for body in bodies for message in _told(model, body)}
    assert messages
    assert [one for one in messages if not one.startswith((*_RULE, *_SENTENCE))] == []


def test_lengths_count_characters_of_texts_and_items_of_lists() -> None:
    body = {"title": "x" * 501, "idempotency_key": ""}
    assert {"must have at most 500 characters", "must have at least 1 character"} <= set(
        _told(CreatePost, body)
    )
    assert _told(BulkCreatePosts, {"posts": []}) == ["must have at least 1 item"]


def test_a_change_without_any_field_says_which_there_are() -> None:
    assert _told(UpdateWebhook, {}) == ["Send at least one of url, events and active."]
