"""What a create call must hold, field by field and platform by platform."""

from typing import Any

import pytest

from tests.service.running import Caller
from tests.service.test_envelope import fields


@pytest.mark.parametrize("name", ["social_account_id", "platform", "post_type", "description"])
def test_what_is_required_is_missed(caller: Caller, name: str) -> None:
    body = caller.post_body(caller.connect())
    del body[name]

    assert fields(caller.http.post("/posts", json=body)) == {name: "missing"}


@pytest.mark.parametrize(
    "name",
    [
        "title",
        "media_storage_path",
        "scheduled_at",
        "idempotency_key",
        "batch_id",
        "pinterest_board_id",
        "pinterest_board_name",
        "pinterest_link",
    ],
)
def test_what_is_optional_may_be_left_out_but_is_never_null(caller: Caller, name: str) -> None:
    body = caller.post_body(caller.connect(), **{name: None})

    assert fields(caller.http.post("/posts", json=body)) == {name: "null_forbidden"}


def test_a_description_may_be_null_where_a_file_says_it_all(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), post_type="image", description=None)

    assert "description" not in fields(caller.http.post("/posts", json=body))


@pytest.mark.parametrize("description", [None, "", " \n"])
def test_a_text_post_needs_a_text(caller: Caller, description: str | None) -> None:
    body = caller.post_body(caller.connect(), description=description)

    assert fields(caller.http.post("/posts", json=body)) == {"description": "required_by_post_type"}


@pytest.mark.parametrize(
    ("platform", "post_type"),
    [
        ("youtube", "text"),
        ("youtube", "image"),
        ("tiktok", "text"),
        ("instagram", "text"),
        ("pinterest", "text"),
    ],
)
def test_kinds_that_a_platform_does_not_take_are_refused(
    caller: Caller, platform: str, post_type: str
) -> None:
    body = caller.post_body(caller.connect(platform), platform=platform, post_type=post_type, title="A title")

    assert fields(caller.http.post("/posts", json=body))["post_type"] == "unsupported"


@pytest.mark.parametrize("platform", ["threads", "myspace", "LinkedIn", "", 5, None])
def test_posts_go_to_the_seven_platforms_alone(caller: Caller, platform: Any) -> None:
    body = caller.post_body(caller.connect("threads"), platform=platform)

    assert set(fields(caller.http.post("/posts", json=body))) == {"platform"}


@pytest.mark.parametrize("board", [None, "", " "])
def test_a_pin_needs_a_board(caller: Caller, board: str | None) -> None:
    given = {} if board is None else {"pinterest_board_id": board}
    body = caller.post_body(caller.connect("pinterest"), platform="pinterest", post_type="image", **given)

    assert fields(caller.http.post("/posts", json=body))["pinterest_board_id"] == "missing"


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ("https://example.com/" + "a" * 2028, None),
        ("https://example.com/" + "a" * 2029, "too_long"),
        ("ftp://example.com/", "url_scheme"),
        ("example.com", "url_parsing"),
        ("", "url_parsing"),
        ("https://", "url_parsing"),
    ],
)
def test_a_link_is_an_address_of_2048_characters_at_most(caller: Caller, link: str, kind: str | None) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), pinterest_link=link))

    assert answer.status_code == 201 if kind is None else fields(answer) == {"pinterest_link": kind}
