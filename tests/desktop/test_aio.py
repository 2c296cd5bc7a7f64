"""Qt's event loop as asyncio's: how it ends."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from app.desktop import aio
from app.desktop.links import AddFiles, BeginPost, understood


def test_a_wish_to_quit_is_told_and_the_loop_goes_on(qapp: QApplication) -> None:
    assert isinstance(qapp, aio.AsyncApplication)

    async def main(stop: asyncio.Event) -> int:
        asyncio.get_running_loop().call_soon(qapp.quit)
        async with asyncio.timeout(30):
            await stop.wait()
        await asyncio.sleep(0.05)
        return 3

    assert aio.run(qapp, main) == 3


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        (QUrl.fromLocalFile("/Users/ines/Küste 100%.jpg"), AddFiles((Path("/Users/ines/Küste 100%.jpg"),))),
        (QUrl("kalends://new?text=K%C3%BCste%20%26%20Meer"), BeginPost("Küste & Meer")),
    ],
)
def test_what_macos_asks_to_open_is_passed_on(qapp: QApplication, url: QUrl, meant: object) -> None:
    assert isinstance(qapp, aio.AsyncApplication)
    handed: list[list[str]] = []
    qapp.handed.connect(handed.append)
    try:
        assert QApplication.sendEvent(qapp, QFileOpenEvent(url))
    finally:
        qapp.handed.disconnect(handed.append)
    [things] = handed
    assert understood(things) == [meant]
