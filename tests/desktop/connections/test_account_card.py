"""The pictures of accounts on their cards."""

import io
from pathlib import Path

import httpx
import pytest
from PIL import Image
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.desktop.connections.pane import ConnectionsPane
from app.desktop.widgets import Avatar
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


def test_a_card_shows_the_picture_of_its_account_once_it_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    url, written, asked = "https://cdn.platform.example/face.png", io.BytesIO(), list[str]()
    Image.new("RGB", (64, 64), (0, 255, 0)).save(written, "PNG")

    def found(request: httpx.Request) -> httpx.Response | None:
        if str(request.url) != url:
            return None
        asked.append(url)
        return httpx.Response(200, content=written.getvalue())

    async def work() -> None:
        service.add_account()
        service.add_account()
        service.connections[0]["avatar_url"] = url
        service.parts.append(found)
        async with workspace(tmp_path, service) as opened:
            pane = ConnectionsPane(opened)
            assert not asked  # nothing is fetched for a pane that nobody looks at
            async with shown(pane):
                avatars = {card.account.avatar_url: card.findChild(Avatar) for card in pane.cards()}
                await until(lambda: middle(avatars[url]).red() < 100)
                assert middle(avatars[None]).red() > 100
                pane.rebuild()
                (again,) = [card for card in pane.cards() if card.account.avatar_url]
                assert middle(again.findChild(Avatar)).red() < 100
            assert asked == [url]

    run(qapp, work)


def middle(avatar: Avatar | None) -> QColor:
    """What is seen left of an avatar's middle, where initials do not reach."""
    assert avatar is not None
    return avatar.grab().toImage().pixelColor(round(4 * avatar.devicePixelRatio()), avatar.height() // 2)
