"""The service on this computer is replaced by a new version while posts fall due."""

import asyncio
import sys
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.homes import Homes, consent
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visit, Visits
from app.workspace.posts.new import NewPost
from tests.children.launcher import install, started_versions
from tests.workspace.opened import until

POSTS, APART_MS, LEAD_MS = 8, 500, 2_000
PAUSE_MS = 45_000
"""Long enough for the new version to take over on a busy computer."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't replace a program that runs")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = install(tmp_path / "kalends", "old")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    return program


async def test_every_post_is_published_once_and_not_early(tmp_path: Path, program: Path) -> None:
    async def story() -> list[tuple[str, float]]:
        visits = Visits(Homes(tmp_path / "data"), Credentials(tmp_path / "data"))
        visit = await visits.begin_here(practice=True, progress=lambda _text: None)
        try:
            due = await plan(visit)
            install(program, "new")
            workspace = visit.workspace
            await until(
                lambda: all(post.status is PostStatus.POSTED for post in workspace.posts.all()), patience=120
            )
            return await published(visit, due)
        finally:
            await visit.leave()

    found = await story()
    services = [version for version in started_versions(program) if version == "new"]
    assert services, "the new version was never started"
    assert Counter(text for text, _ in found) == Counter(
        ["Later", *(f"Post {number}" for number in range(POSTS))]
    )
    assert min(late for _, late in found) >= 0  # `benchmarks appkills` measures how late


async def plan(visit: Visit) -> dict[str, int]:
    """Connect an account; plan posts that fall due while the file is replaced, and one for later."""
    workspace = visit.workspace
    flow = await workspace.flows.begin(PostingPlatform.LINKEDIN)
    await asyncio.to_thread(consent.allow, flow.url)
    account = await flow.account()
    first = int(time.time() * 1_000) + LEAD_MS
    later = first + POSTS * APART_MS + PAUSE_MS
    due = {f"Post {number}": first + number * APART_MS for number in range(POSTS)} | {"Later": later}
    workspace.plan(
        [
            NewPost(account.key, PostingPlatform.LINKEDIN, PostType.TEXT, text, at=at)
            for text, at in due.items()
        ]
    )
    await until(lambda: workspace.sync.waiting == 0)
    return due


async def published(visit: Visit, due: dict[str, int]) -> list[tuple[str, float]]:
    """What the practice platforms accepted, each with how many seconds late."""
    assert visit.embedded is not None
    async with httpx.AsyncClient(trust_env=False) as browser:
        ledger = (await browser.get(f"{visit.embedded.practice_url}/ledger")).json()["data"]
    times = [(line["text"], datetime.fromisoformat(line["received_at"]).timestamp()) for line in ledger]
    return [(text, at - due[text] / 1_000) for text, at in times]
