"""Files are with the platforms before their posts are due, and the posts go out with the first call."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import RULES
from app.service.store.tables import preparations
from tests.service.publishing.endtoend.files import Sample, taken
from tests.service.publishing.endtoend.stage import Stage, sha256, wait_for

_AHEAD = [
    (platform, post_type)
    for platform in PostingPlatform
    for post_type in sorted(RULES[platform].publishable)
    if post_type is not PostType.TEXT and not RULES[platform].board_needed
]


def _body(stage: Stage, platform: PostingPlatform, post_type: PostType, sample: Sample) -> dict[str, Any]:
    return {
        "social_account_id": stage.accounts[platform]["id"],
        "platform": platform.value,
        "post_type": post_type.value,
        "description": f"Ahead of time, {post_type.value}",
        "title": "Ahead",
        "media_storage_path": stage.stored(sample),
        "scheduled_at": _in(timedelta(minutes=20)),
    }


def _in(wait: timedelta) -> str:
    return (datetime.now(UTC) + wait).isoformat()


def _is_prepared(stage: Stage, post_id: str) -> bool:
    wanted = select(preparations.c.settled_at).where(preparations.c.post_id == UUID(post_id))
    return stage.caller.service.database.read_now(lambda rows: rows.scalar(wanted)) is not None


def test_prepared_posts_go_out_whole(stage: Stage) -> None:
    """All at once, since each of them is waited for."""
    samples = {kind: next(taken(*kind)) for kind in _AHEAD}
    ids: dict[str, Sample] = {}
    for kind, sample in samples.items():
        created = stage.create(_body(stage, *kind, sample))
        assert created.status_code == 201, created.text
        ids[created.json()["id"]] = sample
    wait_for(lambda: all(_is_prepared(stage, post_id) for post_id in ids), bool)

    for post_id in ids:
        assert stage.attempts(post_id) == []
        moved = {"scheduled_at": _in(timedelta(seconds=1))}
        assert stage.caller.http.patch(f"/posts/{post_id}", json=moved).status_code == 200

    for post_id, sample in ids.items():
        assert stage.ended(post_id)["status"] == "posted"
        assert [attempt["step"] for attempt in stage.attempts(post_id)] == ["publish"]
        [entry] = stage.ledger_of(stage.content_of(post_id)["content_id"])
        assert entry["media_sha256"] == sha256(sample.content)
