"""The workspace on Qt's event loop, where the app runs it."""

import asyncio
import gc
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from app.contract.enums import ConnectionPlatform
from tests.workspace.connections.test_flow import browse, landing_of
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import new_post, opened, settled


def test_it_plans_moves_and_connects(tmp_path: Path, qapp: QApplication) -> None:
    async def story() -> None:
        service = ModelService(HandClock())
        async with opened(tmp_path, service) as workspace:
            flow = await workspace.flows.begin(ConnectionPlatform.X)
            account = service.add_account()
            await browse(f"{landing_of(service)}?status=connected&connection_id={account}")
            assert (await flow.account()).key == account
            (key,) = workspace.plan([new_post(account)])
            workspace.move({key: START + 2 * HOUR})
            await settled(workspace)
            assert [post.at for post in workspace.posts] == [START + 2 * HOUR]
        assert service.effects == ["Hello"]

    loop = qasync.QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(story())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
        del loop
        gc.collect()  # here, since Qt's timers must not be collected by whichever thread comes next
