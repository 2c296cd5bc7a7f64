"""Qt's event loop as asyncio's: how it ends."""

import asyncio

from PySide6.QtWidgets import QApplication

from app.desktop import aio


def test_a_wish_to_quit_is_told_and_the_loop_goes_on(qapp: QApplication) -> None:
    assert isinstance(qapp, aio.AsyncApplication)

    async def main(stop: asyncio.Event) -> int:
        asyncio.get_running_loop().call_soon(qapp.quit)
        async with asyncio.timeout(30):
            await stop.wait()
        await asyncio.sleep(0.05)
        return 3

    assert aio.run(qapp, main) == 3
