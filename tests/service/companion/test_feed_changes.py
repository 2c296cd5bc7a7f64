"""The record of changes: the database itself writes it, for whatever is shown and for nothing else."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Table, delete, insert, update

from app.service.store.tables import connections, deliveries, events, media, posts, webhook_subscriptions
from tests.service.companion.streams import recorded
from tests.service.running import Caller


class Ledger:
    """Writes past all code of the service, as another program would, and reads what was recorded of it."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self._seen = len(recorded(caller))

    def insert(self, table: Table, **columns: Any) -> list[str]:
        return self._after(lambda rows: rows.execute(insert(table).values(columns)))

    def update(self, table: Table, row_id: UUID, **columns: Any) -> list[str]:
        return self._after(
            lambda rows: rows.execute(update(table).where(table.c.id == row_id).values(columns))
        )

    def delete(self, table: Table, row_id: UUID) -> list[str]:
        return self._after(lambda rows: rows.execute(delete(table).where(table.c.id == row_id)))

    def _after(self, work: Any) -> list[str]:
        def write(rows: Connection) -> None:
            work(rows)

        self.caller.service.database.write_now(write)
        found = recorded(self.caller)
        new, self._seen = found[self._seen :], len(found)
        return [kind for _, kind in new]


def test_a_post_tells_of_what_is_shown_and_not_of_who_works_on_it(caller: Caller) -> None:
    post_id = UUID(caller.create(caller.connect())["id"])
    ledger, now = Ledger(caller), caller.service.clock()
    assert ledger.update(posts, post_id, claimed_by=uuid4(), claimed_until=now) == []
    assert ledger.update(posts, post_id, status="scheduled") == []
    assert ledger.update(posts, post_id, status="queued", claimed_by=None) == ["post.changed"]
    assert ledger.update(posts, post_id, scheduled_at=now) == ["post.changed"]
    assert ledger.update(posts, post_id, posted_at=now, status="posted") == ["post.changed"]
    assert ledger.update(posts, post_id, posted_at=None) == ["post.changed"]
    assert ledger.update(posts, post_id, by_hand=False) == []
    assert ledger.update(posts, post_id, by_hand=True) == ["post.changed"]
    assert ledger.delete(posts, post_id) == ["post.changed"]


def test_a_connection_tells_of_what_is_shown_and_not_of_its_tokens(caller: Caller) -> None:
    connection_id = UUID(caller.connect())
    ledger, now = Ledger(caller), caller.service.clock()
    assert ledger.update(connections, connection_id, access_token=b"other", refresh_token=b"new") == []
    shown = {
        "display_name": "R",
        "username": "r",
        "avatar_url": "https://example.com/r.png",
        "is_verified": True,
    }
    for change in (*shown.items(), ("follower_count", 3), ("is_available", False), ("token_expires_at", now)):
        assert ledger.update(connections, connection_id, **dict([change])) == ["connection.changed"]
        assert ledger.update(connections, connection_id, **dict([change])) == []
    assert ledger.delete(connections, connection_id) == ["connection.changed"]


def test_a_file_is_told_of_once_it_is_stored(caller: Caller) -> None:
    ledger, now = Ledger(caller), caller.service.clock()
    file_id = uuid4()
    row = {
        "id": file_id,
        "account_id": caller.account_id,
        "storage_path": f"{caller.account_id}/a-{file_id.hex[:8]}.png",
        "kind": "image",
        "content_type": "image/png",
        "size_bytes": 3,
        "created_at": now,
    }
    assert ledger.insert(media, **row, expires_at=now + timedelta(hours=2)) == []
    assert ledger.update(media, file_id, size_bytes=2) == []
    assert ledger.update(media, file_id, expires_at=None) == ["media.changed"]
    assert ledger.update(media, file_id, probe_after=now) == []
    assert ledger.update(media, file_id, width=4, height=3) == ["media.changed"]
    assert ledger.update(media, file_id, alt_text="A boat") == ["media.changed"]
    assert ledger.delete(media, file_id) == ["media.changed"]
    assert ledger.insert(media, **row) == ["media.changed"]
    assert ledger.update(media, file_id, expires_at=now) == ["media.changed"]  # its file is lost
    assert ledger.update(media, file_id, width=5) == []
    assert ledger.delete(media, file_id) == []


def test_a_delivery_is_told_of_once_it_was_tried(caller: Caller) -> None:
    ledger, now = Ledger(caller), caller.service.clock()
    subscription_id, event_id, delivery_id = uuid4(), uuid4(), uuid4()
    own = {"account_id": caller.account_id, "created_at": now}
    subscription = {"url": "https://example.com", "events": [], "secret": b"sealed", "active": True}
    ledger.insert(
        webhook_subscriptions, id=subscription_id, **own, **subscription, failure_count=0, updated_at=now
    )
    ledger.insert(events, id=event_id, **own, type="post.published", data="{}")
    row = {"subscription_id": subscription_id, "event_id": event_id, "event_type": "post.published"}
    counts = {"attempt": 1, "retry": 0, "created_at": now}
    assert ledger.insert(deliveries, id=delivery_id, **row, **counts, next_attempt_at=now) == []
    assert ledger.update(deliveries, delivery_id, next_attempt_at=now + timedelta(seconds=1)) == []
    assert ledger.update(deliveries, delivery_id, next_attempt_at=None, status_code=200) == [
        "delivery.recorded"
    ]
    assert ledger.update(deliveries, delivery_id, status_code=201) == []
    assert ledger.insert(deliveries, id=uuid4(), **row, **counts) == ["delivery.recorded"]
    assert ledger.delete(webhook_subscriptions, subscription_id) == []


def test_what_is_taken_back_leaves_no_trace(caller: Caller) -> None:
    connection_id = caller.connect()
    before = recorded(caller)
    assert caller.http.post("/posts", json=caller.post_body(connection_id, platform="x")).status_code == 400
    assert recorded(caller) == before


def test_a_column_that_is_new_is_thought_of() -> None:
    """Whoever adds a column that is shown and can change has it watched by the trigger, and names it here."""
    watched = {"status", "scheduled_at", "posted_at", "by_hand"}
    fixed = {"id", "account_id", "connection_id", "platform", "post_type", "title", "description", "batch_id"}
    fixed |= {"media_storage_path", "pinterest_board_id", "pinterest_board_name", "pinterest_link", "options"}
    not_shown = {"created_via", "created_at", "claimed_by", "claimed_until", "tiktok"}
    assert set(posts.c.keys()) == watched | fixed | not_shown
