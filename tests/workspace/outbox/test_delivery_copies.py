"""A new post that is also listed as a copy, until its create call is answered: both become one."""

from pathlib import Path

import pytest

from app.workspace.posts.planned import SyncState
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, opened, settled, until
from tests.workspace.outbox.test_delivery_answers import hours_here, hours_there, shown_twice


@pytest.fixture
def service() -> ModelService:
    service = ModelService(HandClock())
    service.add_account()
    return service


def _is_synced(workspace: Opened, key: str, hour: int) -> bool:
    post = workspace.posts.get(key)
    return post is not None and (post.sync, post.at) == (SyncState.SYNCED, START + hour * HOUR)


@pytest.mark.parametrize("is_answered", [False, True])
@pytest.mark.parametrize("is_copy_last", [False, True])
async def test_the_last_move_of_a_post_and_its_copy_is_made_without_asking(
    tmp_path: Path, service: ModelService, *, is_answered: bool, is_copy_last: bool
) -> None:
    """``is_answered``: the service confirms the move of the copy."""
    async with opened(tmp_path, service) as workspace:
        key, copy = await shown_twice(workspace, service, 5)
        await until(lambda: workspace._core.mirror.intentions[key].create_at)
        if not is_answered:
            service.faults += [("PATCH", "lose")] * 10_000
        if is_copy_last:
            workspace.move({key: START + 9 * HOUR})
        workspace.move({copy: START + 7 * HOUR})
        await until(lambda: hours_there(service) == [7])
        if is_answered:
            await until(lambda: _is_synced(workspace, copy, 7))
        if not is_copy_last:
            workspace.move({key: START + 9 * HOUR})
        last = 7 if is_copy_last else 9
        service.faults[:] = [fault for fault in service.faults if fault[0] == "PATCH"]
        await until(lambda: [post.key for post in workspace.posts] == [key])
        assert (hours_here(workspace), workspace.conflicts) == ([last], [])
        service.faults.clear()
        await settled(workspace)
        assert (hours_there(service), hours_here(workspace)) == ([last], [last])
        assert (workspace.conflicts, workspace.said) == ([], [])
