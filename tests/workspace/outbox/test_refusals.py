"""Messages about refused changes are shown at the next start if the app ends first."""

from pathlib import Path

import pytest

from app.workspace.messages import Message
from app.workspace.outbox.refusals import Refusals
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, new_post, opened, settled, until


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def _refused(workspace: Opened, service: ModelService, method: str, key: str) -> None:
    """Does something that the service refuses."""
    service.faults.append((method, "refuse"))
    match method:
        case "POST":
            workspace.plan([new_post(service.add_account(), "text")])
        case "PATCH":
            workspace.move({key: START + 2 * HOUR})
        case "DELETE":
            workspace.cancel([key])
    await settled(workspace)
    assert service.faults == []


@pytest.mark.parametrize(
    ("method", "what"), [("POST", "scheduled"), ("PATCH", "moved"), ("DELETE", "cancelled")]
)
async def test_a_refusal_that_was_not_shown_is_shown_once_at_the_next_start(
    tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch, method: str, what: str
) -> None:
    """The app ends while other changes are being sent, so the message still waits for these."""
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        with monkeypatch.context() as patch:
            patch.setattr(Refusals, "tell", lambda _: None)
            await _refused(workspace, service, method, key)
        assert workspace.said == []
    async with opened(tmp_path, service) as workspace:
        assert [message.text for message in workspace.said] == [f"“text” wasn't {what}: not today."]
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert workspace.said == []


async def test_refusals_wait_until_somebody_listens(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
    workspace = await Opened.open(
        service.client(), tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
    )
    said: list[Message] = []
    try:
        await until(lambda: workspace.sync.connected)
        await _refused(workspace, service, "PATCH", key)
        workspace.listen_messages(said.append)
        assert [message.text for message in said] == ["“text” wasn't moved: not today."]
    finally:
        await workspace.close()
