"""What each platform has against a file is said when a post is created, by what is known of it."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert

from app.service.store.tables import media
from tests.service.running import Caller
from tests.service.test_envelope import fields

MIB = 1024 * 1024


def _file(caller: Caller, content_type: str, size: int = 200_000, **facts: int) -> str:
    """Puts a file on record without its bytes; gives its path."""
    path = f"{caller.account_id}/file-{uuid4().hex[:8]}"
    row = {
        "id": uuid4(),
        "account_id": caller.account_id,
        "storage_path": path,
        "kind": content_type.partition("/")[0],
        "content_type": content_type,
        "size_bytes": size,
        "sha256": "0" * 64,
        "created_at": datetime.now(UTC),
        **facts,
    }
    caller.service.database.write_now(lambda rows: rows.execute(insert(media).values(row)))
    return path


def _body(caller: Caller, platform: str, post_type: str, path: str) -> dict[str, Any]:
    return caller.post_body(
        caller.connect(platform),
        platform=platform,
        post_type=post_type,
        media_storage_path=path,
        pinterest_board_id="1",
        title="Wool",
    )


@pytest.mark.parametrize(
    ("platform", "content_type", "size", "facts", "reason"),
    [
        ("x", "image/png", 5 * MIB + 1, {}, "too_large"),
        ("x", "video/mp4", MIB, {"duration_ms": 141_000}, "too_long"),
        ("instagram", "image/png", MIB, {}, "unsupported"),
        ("instagram", "image/jpeg", MIB, {"width": 400, "height": 1000}, "ratio"),
        ("linkedin", "video/mp4", 70_000, {}, "too_small"),
        ("pinterest", "video/mp4", MIB, {"duration_ms": 3_000}, "too_short"),
        ("facebook", "image/webp", MIB, {}, "unsupported"),
        ("tiktok", "video/mp4", MIB, {"width": 200, "height": 400}, "dimensions"),
    ],
)
def test_a_file_that_the_platform_will_not_take_is_refused(
    caller: Caller, platform: str, content_type: str, size: int, facts: dict[str, int], reason: str
) -> None:
    path = _file(caller, content_type, size, **facts)
    body = _body(caller, platform, content_type.partition("/")[0], path)

    assert fields(caller.http.post("/posts", json=body)) == {"media_storage_path": reason}


@pytest.mark.parametrize(
    ("platform", "content_type", "facts"),
    [
        ("x", "image/png", {"width": 800, "height": 600}),
        ("instagram", "image/jpeg", {"width": 1080, "height": 1080}),
        ("linkedin", "video/mp4", {"duration_ms": 3_000}),
        ("youtube", "video/mp4", {}),
        ("tiktok", "video/mp4", {}),
    ],
)
def test_a_file_that_fits_is_taken_also_before_anybody_looked_into_it(
    caller: Caller, platform: str, content_type: str, facts: dict[str, int]
) -> None:
    path = _file(caller, content_type, **facts)
    body = _body(caller, platform, content_type.partition("/")[0], path)

    assert caller.http.post("/posts", json=body).status_code == 201


def test_a_file_of_another_kind_is_refused(caller: Caller) -> None:
    path = _file(caller, "video/mp4")
    body = _body(caller, "x", "image", path)

    assert fields(caller.http.post("/posts", json=body)) == {"media_storage_path": "wrong_kind"}


def test_a_text_takes_no_file_of_any_kind(caller: Caller) -> None:
    path = _file(caller, "video/mp4")
    body = _body(caller, "x", "text", path)

    assert fields(caller.http.post("/posts", json=body)) == {"media_storage_path": "unsupported"}
