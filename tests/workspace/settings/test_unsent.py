"""Posts that were waiting to be sent when a backup was made."""

import asyncio
import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.contract.enums import PostStatus
from app.workspace.homes import Home, Homes
from app.workspace.homes.registry import HomeKind
from app.workspace.settings import restore
from app.workspace.settings.backup import back_up
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import new_post, opened, settled, until
from tests.workspace.settings.folders import fill


def quiet(_done: int, _total: int) -> None:
    """Nobody looks."""


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


@pytest.mark.parametrize("kind", HomeKind)
async def test_a_post_that_may_be_published_since_the_backup_is_not_sent_again(
    tmp_path: Path, service: ModelService, kind: HomeKind
) -> None:
    homes = Homes(tmp_path)
    home = Home(kind=kind, name="My calendar", base_url="https://127.0.0.1:1")
    homes.keep(home)
    folder = homes.folder(home)
    if home.is_embedded:
        fill(folder / "service" / "service.db", "service")
    folder.mkdir(parents=True, exist_ok=True)
    account = service.add_account()
    later = START + 1_000_000 * HOUR  # after the real time, which restoring uses
    async with opened(folder, service) as workspace:
        await settled(workspace)
        service.online = False
        (now,) = workspace.plan([new_post(account, "Now", None)])
        (gone,) = workspace.plan([new_post(account, "Cancelled", None)])
        (planned,) = workspace.plan([new_post(account, "Later", later)])
        workspace.cancel([gone])
        await until(lambda: not workspace.sync.saving)
        back_up(homes, tmp_path / "kept.zip", quiet, threading.Event())
    shutil.rmtree(folder)
    restore.stage(homes, tmp_path / "kept.zip", quiet, threading.Event())
    restore.finish(tmp_path)

    service.online = True
    async with opened(folder, service) as workspace:
        await settled(workspace)
        states = {post.key: (post.status, post.may_be_live) for post in workspace.posts}
        assert states[planned] == (PostStatus.SCHEDULED, False)
        if home.is_embedded:
            assert states[now] == (PostStatus.FAILED, True)
            assert service.effects == ["Later"]
        else:  # the service recognizes it
            assert sorted(service.effects) == ["Later", "Now"]


@pytest.mark.parametrize("kind", HomeKind)
async def test_a_post_that_was_due_while_the_user_hesitated_is_not_sent_again(
    tmp_path: Path, service: ModelService, kind: HomeKind
) -> None:
    """The service here published it while the question about the checked backup was open."""
    homes, home = here_or_there(tmp_path, kind)
    account = service.add_account()
    async with opened(homes.folder(home), service) as workspace:
        await settled(workspace)
        service.online = False
        soon = time.time_ns() // 1_000_000 + 3_000
        (soon_due,) = workspace.plan([new_post(account, "Soon", soon)])
        await until(lambda: not workspace.sync.saving)
        back_up(homes, tmp_path / "kept.zip", quiet, threading.Event())
    restore.stage(homes, tmp_path / "kept.zip", quiet, threading.Event())
    await asyncio.sleep(max(0.0, soon / 1_000 - time.time()) + 0.01)
    restore.finish(tmp_path)
    assert state_of(homes.folder(home), soon_due) == ("failed" if home.is_embedded else "scheduled")


@pytest.mark.parametrize(("kind", "days"), [(HomeKind.REMOTE, 29), (HomeKind.REMOTE, 31)])
async def test_an_old_backup_sends_nothing_again_that_its_service_may_have_forgotten(
    tmp_path: Path, service: ModelService, kind: HomeKind, days: int
) -> None:
    """Services recognize a post that is sent again for 30 days."""
    homes, home = here_or_there(tmp_path, kind)
    account = service.add_account()
    async with opened(homes.folder(home), service) as workspace:
        await settled(workspace)
        service.online = False
        keys = workspace.plan([new_post(account, "Now", None)])
        keys += workspace.plan([new_post(account, "Later", START + 1_000_000 * HOUR)])
        await until(lambda: not workspace.sync.saving)
        back_up(homes, tmp_path / "kept.zip", quiet, threading.Event())
    made_before(tmp_path / "kept.zip", timedelta(days=days))
    restore.stage(homes, tmp_path / "kept.zip", quiet, threading.Event())
    restore.finish(tmp_path)
    expected = "failed" if days > 30 else "scheduled"
    assert [state_of(homes.folder(home), key) for key in keys][1] == expected
    service.online = True
    async with opened(homes.folder(home), service) as workspace:
        await settled(workspace)
        await until(lambda: workspace.sync.waiting == 0)
    assert sorted(service.effects) == ([] if days > 30 else ["Later", "Now"])


def here_or_there(data: Path, kind: HomeKind) -> tuple[Homes, Home]:
    homes, home = Homes(data), Home(kind=kind, name="My calendar", base_url="https://127.0.0.1:1")
    homes.keep(home)
    folder = homes.folder(home)
    folder.mkdir(parents=True)
    if home.is_embedded:
        fill(folder / "service" / "service.db", "service")
    return homes, home


def made_before(backup: Path, age: timedelta) -> None:
    """Make a backup older than it is."""
    with ZipFile(backup) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(content["manifest.json"])
    manifest["made_at"] = (datetime.now(UTC) - age).isoformat()
    with ZipFile(backup, "w") as archive:
        for name, data in (content | {"manifest.json": json.dumps(manifest).encode()}).items():
            archive.writestr(name, data)


def state_of(folder: Path, key: str) -> str:
    with closing(sqlite3.connect(folder / "workspace.db")) as rows:
        found = rows.execute("SELECT status FROM posts WHERE key = ?", (key,)).fetchone()
    return str(found[0])
