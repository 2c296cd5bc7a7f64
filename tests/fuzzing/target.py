"""The target of fuzzing: the real service with practice accounts, posts, media and a webhook."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.workspace.programs import RealService, consent, follow, real_service

PLATFORMS = ("linkedin", "x", "pinterest")


@dataclass(frozen=True)
class Target:
    """A running service with content, and the IDs that posts can use."""

    service: RealService
    accounts: dict[str, str]

    def description(self, prefix: str) -> str:
        return f"{self.service.base_url}{prefix}/openapi.json"


@contextmanager
def target(folder: Path) -> Iterator[Target]:
    """Start the service and fill it through its own API."""
    with real_service(folder, "--rate-limit", "off") as service:
        headers = {"Authorization": f"Bearer {service.key}"}
        with httpx.Client(
            base_url=f"{service.base_url}/api/v1",
            verify=ssl.create_default_context(cafile=service.ca_file),
            headers=headers,
            trust_env=False,
        ) as http:
            accounts = {platform: _connect(http, platform) for platform in PLATFORMS}
            _fill(http, accounts["linkedin"])
        yield Target(service, accounts)


def _connect(http: httpx.Client, platform: str) -> str:
    started = _ok(http.post("/connections/initiate", json={"platform": platform}))
    follow(consent(started["connect_url"], "allow"))
    return str(started["connection_id"])


def _fill(http: httpx.Client, account: str) -> None:
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    post = {"social_account_id": account, "platform": "linkedin", "post_type": "text", "scheduled_at": later}
    for number in range(3):
        _ok(http.post("/posts", json={**post, "description": f"Number {number}"}))
    _ok(http.post("/webhooks", json={"url": "https://receiver.example/hook", "events": ["post.failed"]}))


def _ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, answer.text
    body: dict[str, Any] = answer.json()
    return body
