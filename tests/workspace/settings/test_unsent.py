"""Posts that were waiting to be sent when a backup was made."""

import shutil
import threading
from pathlib import Path

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
