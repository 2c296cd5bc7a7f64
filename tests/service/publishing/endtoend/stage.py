"""A service that publishes for real, to practice platforms that run as their own program."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from uuid import uuid4

import httpx
from sqlalchemy import select

from app.contract.enums import PostingPlatform
from app.service.publishing.pacing import PACES
from app.service.store.tables import events
from tests.service.connections.consenting import connect
from tests.service.publishing.endtoend.files import Sample
from tests.service.running import Caller, RunningService

T = TypeVar("T")
_PATIENCE_S: Final = 60
"""For whatever happens behind the service's back, on a machine that many share."""
_OFTEN: Final = 50
"""More posts of one account than the tests publish."""


@dataclass(frozen=True)
class Stage:
    """One account of the service with a connected account on every platform, and what the platforms saw."""

    caller: Caller
    person: httpx.Client
    practice: httpx.Client
    accounts: Mapping[str, dict[str, Any]]
    _paths: dict[Sample, str] = field(default_factory=dict)

    def rested(self, platform: PostingPlatform) -> dict[str, Any]:
        """An account that may publish at once, however often this is asked for.

        TikTok lets one account publish a few times a minute, and the rest would wait until the next.
        """
        if platform not in PACES or PACES[platform].calls > _OFTEN:
            found: dict[str, Any] = self.accounts[platform]
            return found
        return connect(self.caller, self.person, platform.value, f"rested {uuid4().hex}")

    def stored(self, sample: Sample) -> str:
        """The path of a file, which is uploaded once and may then be in any number of posts."""
        if sample not in self._paths:
            self._paths[sample] = self._upload(sample)
        return self._paths[sample]

    def _upload(self, sample: Sample) -> str:
        """Stores a file by a signed address, and waits until it has been looked into; gives its path."""
        content = sample.content
        asked = {
            "filename": sample.filename,
            "content_type": sample.content_type,
            "size_bytes": len(content),
        }
        given = self.caller.http.post("/media/upload-url", json=asked).json()
        answer = self.person.put(given["upload_url"], content=content)
        assert answer.status_code == 200, answer.text
        path = str(given["storage_path"])
        stored = wait_for(lambda: self._stored(path), lambda file: file["width"] is not None)
        assert (stored["width"], stored["height"]) == (sample.width, sample.height)
        return path

    def create(self, body: Mapping[str, Any]) -> httpx.Response:
        return self.caller.http.post("/posts", json=dict(body))

    def publish(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Creates a post that is published at once; gives it as it is when it is out."""
        created = self.create(body)
        assert created.status_code == 201, created.text
        post = self.ended(created.json()["id"])
        assert post["status"] == "posted", self.attempts(post["id"])
        return post

    def ended(self, post_id: str) -> dict[str, Any]:
        def asked() -> dict[str, Any]:
            found: dict[str, Any] = self.caller.http.get(f"/posts/{post_id}").json()
            return found

        return wait_for(asked, lambda post: post["status"] in {"posted", "failed"})

    def attempts(self, post_id: str) -> list[dict[str, Any]]:
        """Newest first."""
        found: list[dict[str, Any]] = self._companion(f"posts/{post_id}/attempts")["data"]
        return found

    def ledger_of(self, content_id: str) -> list[dict[str, Any]]:
        """What the platforms accepted under an id."""
        entries = self.practice.get("/ledger").json()["data"]
        return [entry for entry in entries if entry["content_id"] == content_id]

    def content_of(self, post_id: str) -> dict[str, Any]:
        """The record of a post in the content history; there must be one alone."""
        history = self.caller.http.get("/content-history", params={"limit": 100}).json()["data"]
        [record] = [record for record in history if record["scheduled_post_id"] == post_id]
        assert isinstance(record, dict)
        return record

    def event_of(self, post_id: str, kind: str) -> dict[str, Any]:
        """What an event told of a post; there must be one alone of its kind."""
        told = select(events.c.data).where(
            events.c.account_id == self.caller.account_id, events.c.type == kind
        )
        every = self.caller.service.database.read_now(lambda rows: rows.scalars(told).all())
        [data] = [data for data in map(json.loads, every) if data["post_id"] == post_id]
        assert isinstance(data, dict)
        return data

    def _stored(self, path: str) -> dict[str, Any]:
        files = self._companion("media")["data"]
        return next(file for file in files if file["storage_path"] == path)

    def _companion(self, path: str) -> Any:
        return self.caller.http.get(f"{self.caller.service.base_url}/companion/v1/{path}").json()


@contextmanager
def working(service: RunningService) -> Iterator[None]:
    """Has the service's workers work while the block runs."""
    loop, workers = service.loop, service.parts.workers
    running = [asyncio.run_coroutine_threadsafe(worker.run(), loop) for worker in workers]
    try:
        yield
    finally:
        for worker in workers:
            asyncio.run_coroutine_threadsafe(worker.stop(), loop).result(_PATIENCE_S)
        for task in running:
            task.result(_PATIENCE_S)


def connect_everything(caller: Caller, person: httpx.Client, platforms: list[str]) -> dict[str, Any]:
    """Connects the first account of each platform through its consent page."""
    return {platform: connect(caller, person, platform) for platform in platforms}


def wait_for(ask: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Asks until the answer is good; fails after a while."""
    end = time.monotonic() + _PATIENCE_S
    while not holds(answer := ask()):
        assert time.monotonic() < end, answer
        time.sleep(0.02)
    return answer


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
