"""An account with something in every table of an export, and two installations to move it between."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert

from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.media.files import LocalMediaStore
from app.service.media.stores import MediaStore
from app.service.store.folder import DataFolder
from app.service.store.seal import Seal, open_seal
from app.service.store.tables import (
    attempts,
    connections,
    contents,
    deliveries,
    events,
    idempotency_keys,
    media,
    metrics,
    posts,
    publication_steps,
    removed_posts,
    usage_counters,
    webhook_subscriptions,
)
from app.service.transfer.exporting import Source
from app.service.transfer.importing import Target
from tests.stores import service_store

PASSPHRASE = "a passphrase of some words"
NOW = system_clock().replace(microsecond=0)


@dataclass(frozen=True)
class Home:
    """An installation: its database, its files and its key."""

    root: Path
    database: Database
    store: MediaStore
    seal: Seal

    @property
    def source(self) -> Source:
        return Source(self.root, self.database, self.store, self.seal, system_clock)

    @property
    def target(self) -> Target:
        return Target(self.database, self.store, self.seal, system_clock)

    def put(self, table: Any, rows: list[dict[str, Any]]) -> None:
        self.database.write_now(lambda tx: tx.execute(insert(table), rows))


@contextmanager
def home(root: Path, store: str, files: MediaStore | None = None) -> Iterator[Home]:
    """Opens an installation on SQLite or PostgreSQL, with files in a folder unless a store is given."""
    database = service_store(root, store)
    folder = DataFolder(root)
    try:
        yield Home(root, database, files or LocalMediaStore(folder.media), open_seal(folder))
    finally:
        database.close()


def fill(here: Home, count: int, file_bytes: int = 2_000) -> UUID:
    """Creates an account with ``count`` posts, of which a third is planned, and returns its id."""
    account = here.database.write_now(lambda rows: create_account(rows, "Ines Duarte", Plan.LOCAL, NOW))
    link = uuid4()
    own = {"account_id": account, "created_at": NOW}
    shared = {**own, "connection_id": link, "platform": "linkedin"}
    here.put(
        connections,
        [
            {
                **own,
                "id": link,
                "platform": "linkedin",
                "account_identifier": "robin",
                "display_name": "Robin é 🌻",
                "is_available": True,
                "token_expires_at": NOW + timedelta(days=30),
                "access_token": here.seal.close("token-of-robin", link),
                "refresh_token": here.seal.close("refresh-of-robin", link),
            }
        ],
    )
    files = [_store(here, account, number, file_bytes) for number in range(3)]
    planned = [_post(shared, number, files[number % 3]) for number in range(count)]
    here.put(posts, planned)
    done = [post for post in planned if post["status"] == "posted"]
    here.put(attempts, [_attempt(own, post) for post in done])
    here.put(contents, [_content(shared, post) for post in done])
    here.put(metrics, [_numbers(shared, post) for post in done])
    here.put(idempotency_keys, [_key(own, post) for post in planned])
    here.put(usage_counters, [{"account_id": account, "period": "2026-11", "action": "a", "count": 7}])
    here.put(
        publication_steps,
        [{"post_id": planned[1]["id"], "name": "upload", "value": here.seal.close("step", planned[1]["id"])}],
    )
    gone = uuid4()
    removed = {**shared, "id": gone, "post_type": "text", "scheduled_at": NOW, "created_via": "rest"}
    removed.pop("created_at")
    here.put(removed_posts, [{**removed, "media_storage_path": ""}])
    step = here.seal.close("its step", gone)
    here.put(publication_steps, [{"post_id": gone, "name": "upload", "value": step}])
    here.put(
        attempts,
        [
            {
                "id": uuid4(),
                "post_id": removed["id"],
                "account_id": account,
                "step": "publish",
                "outcome": "pending",
                "started_at": NOW,
            }
        ],
    )
    _hooks(here, own)
    return account


def _store(here: Home, account: UUID, number: int, size: int) -> str:
    path, content = f"{account}/file-{number}.png", bytes([number]) * (size + number)
    incoming = here.store.begin(path)
    incoming.write(content)
    sha256 = incoming.finish()
    assert sha256 == hashlib.sha256(content).hexdigest()
    place = incoming.keep(path)
    here.put(
        media,
        [
            {
                "id": uuid4(),
                "account_id": account,
                "storage_path": path,
                "filename": f"file {number}.png",
                "kind": "image",
                "content_type": "image/png",
                "size_bytes": len(content),
                "sha256": sha256,
                "object_key": place.object_key,
                "width": 10,
                "frame_rate": 29.97,
                "created_at": NOW,
            }
        ],
    )
    return path


def _post(shared: dict[str, Any], number: int, file: str) -> dict[str, Any]:
    status = ("posted", "scheduled", "cancelled")[number % 3]
    return {
        **shared,
        "id": uuid4(),
        "post_type": "image",
        "status": status,
        "title": None,
        "description": f"Post {number} ünï 🌻",
        "scheduled_at": NOW + timedelta(days=30, minutes=number),
        "posted_at": NOW if status == "posted" else None,
        "media_storage_path": file,
        "options": {"language": "de", "n": [1, 2.5, None]} if number % 2 else None,
        "created_via": "rest",
    }


def _attempt(own: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    at = {"started_at": NOW, "finished_at": NOW}
    return {
        "id": uuid4(),
        "account_id": own["account_id"],
        "post_id": post["id"],
        "step": "publish",
        "outcome": "published",
        **at,
    }


def _content(shared: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    item = {"id": uuid4(), "content_id": str(post["id"]), "post_id": post["id"], "created_via": "rest"}
    return {**shared, **item, "media_type": "image", "url": "https://example.org/x"}


def _numbers(shared: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    zero = dict.fromkeys(("views", "likes", "comments", "shares", "subscribers"), 3)
    return {**shared, "id": uuid4(), "content_id": str(post["id"]), "metric_date": NOW.date(), **zero}


def _key(own: dict[str, Any], post: dict[str, Any]) -> dict[str, Any]:
    return {**own, "idempotency_key": f"Key-{post['id']}", "request_hash": "0" * 64, "post_id": post["id"]}


def _hooks(here: Home, own: dict[str, Any]) -> None:
    event, hook = uuid4(), uuid4()
    here.put(events, [{**own, "id": event, "type": "post.published", "data": '{"a": 1}'}])
    here.put(
        webhook_subscriptions,
        [
            {
                **own,
                "id": hook,
                "url": "https://hook.example/x",
                "events": ["post.published"],
                "secret": here.seal.close("whsec_secret", hook),
                "active": True,
                "failure_count": 0,
                "updated_at": NOW,
            }
        ],
    )
    here.put(
        deliveries,
        [
            {
                "id": uuid4(),
                "subscription_id": hook,
                "event_id": event,
                "event_type": "post.published",
                "attempt": 1,
                "retry": 0,
                "status_code": 200,
                "latency_ms": 3,
                "delivered_at": NOW,
                "request_headers": {"webhook-id": "x"},
                "request_body": b"\x00\xff{}",
                "created_at": NOW,
            }
        ],
    )
