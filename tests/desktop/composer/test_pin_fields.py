"""Where pins go: boards that are told, kept, missing or not to be had; and the link."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import anyio
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from app.workspace.editing import boards
from tests.desktop.composer.composing import Compose, ready, stored, tomorrow
from tests.desktop.pressing import choose
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


@pytest.fixture
def coat(tmp_path: Path) -> Path:
    path = tmp_path / "coat.jpg"
    Image.new("RGB", (800, 1_000), "brown").save(path)
    return path


def test_a_pin_goes_to_the_board_that_was_chosen_and_leads_to_its_page(
    compose: Compose, service: ModelService, coat: Path
) -> None:
    account = service.add_account("pinterest")
    ids = {name: service.add_board(account, name) for name in ("Winter 2026", "Linen", "Autumn")}

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([coat])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setPlainText("Wool")
        combo = panel.pin.field(account).combo
        await until(lambda: combo.count() == 3)
        assert [combo.itemText(index) for index in range(3)] == ["Autumn", "Linen", "Winter 2026"]
        panel.submit()
        assert panel.problems.texts() == ("Choose a board on Pinterest.",)
        assert combo.hasFocus()
        QTest.keyClicks(combo, "Win")
        assert panel.problems.texts() == ()
        QTest.keyClicks(panel.pin.link, "no address")
        panel.submit()
        assert panel.frame.to_fix.text() == "1 to fix"
        assert panel.problems.texts() == ()
        assert panel.pin.link.accessibleDescription().startswith("That isn't a web address.")
        assert panel.pin.link.hasFocus()
        panel.pin.link.clear()
        QTest.keyClicks(panel.pin.link, "okafor.studio/coat")
        panel.submit()
        await until(lambda: service.effects == ["Wool"])

    compose(story, tomorrow())
    (sent,) = [json.loads(one.content) for one in service.requests if b"description" in one.content]
    assert sent["pinterest_board_id"] == ids["Winter 2026"]
    assert sent["pinterest_board_name"] == "Winter 2026"
    assert sent["pinterest_link"] == "https://okafor.studio/coat"


def test_boards_that_arrive_while_one_is_chosen_do_not_move_it_away(
    compose: Compose, service: ModelService, coat: Path
) -> None:
    account = service.add_account("pinterest")
    linen = service.add_board(account, "Linen")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([coat])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        field = panel.pin.field(account)
        await until(lambda: field.combo.count() == 1)
        field.combo.showPopup()
        choices = field.combo.view()
        choices.setCurrentIndex(choices.model().index(0, 0))
        service.add_board(account, "Autumn")
        field.ask()
        await until(lambda: len(field._listed) == 2)
        QTest.keyClick(choices, Qt.Key.Key_Return)
        await until(lambda: field.combo.count() == 2)
        chosen = field.board()
        assert chosen is not None
        assert chosen.id == linen
        assert field.combo.currentText() == "Linen"

    compose(story)


def test_board_and_link_come_back(
    qapp: QApplication, tmp_path: Path, service: ModelService, coat: Path
) -> None:
    account = service.add_account("pinterest")
    service.add_board(account, "Linen")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                panel.attachment.take([coat])
                await until(lambda: panel.model.files.ids.of(panel.model.version))
                panel.accounts.toggle(account).setChecked(True)
                combo = panel.pin.field(account).combo
                await until(lambda: combo.count() == 1)
                choose(combo, "Linen")
                QTest.keyClicks(panel.pin.link, "okafor.studio")
            service.boards.clear()
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                field = panel.pin.field(account)
                await until(field.again.isVisible)
                assert field.combo.currentText() == "Linen"
                assert panel.model.link == "okafor.studio"

    run(qapp, work)


def test_boards_that_cannot_be_had_say_why_and_can_be_asked_for_again(
    compose: Compose, service: ModelService, coat: Path
) -> None:
    account = service.add_account("pinterest")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([coat])
        await until(lambda: panel.model.files.ids.of(panel.model.version))
        service.online = False
        panel.accounts.toggle(account).setChecked(True)
        field = panel.pin.field(account)
        await until(field.again.isVisible)
        assert field.field.error()
        assert not field.combo.isEnabled()
        service.online = True
        field.again.click()
        await until(lambda: "no boards" in field.field.error())
        service.add_board(account, "Linen")
        field.again.click()
        await until(field.combo.isEnabled)
        assert field.field.error() == ""
        service.online = False
        field.ask()
        await until(field.again.isVisible)
        assert field.combo.count() == 1

    compose(story)


@pytest.mark.parametrize(("age_days", "shown"), [(0, "%H:%M"), (3, "%a %-d %b, %H:%M")])
def test_offline_the_last_known_boards_are_offered_with_their_time(
    compose: Compose, service: ModelService, coat: Path, age_days: int, shown: str
) -> None:
    account = service.add_account("pinterest")
    service.add_board(account, "Linen")
    read_at = datetime.now().astimezone() - timedelta(days=age_days)

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        with patch.object(boards, "wall_clock", lambda: int(read_at.timestamp() * 1_000)):
            await opened.boards.ask(account)
        service.online = False
        panel.attachment.take([coat])
        await until(lambda: panel.model.files.ids.of(panel.model.version))
        panel.accounts.toggle(account).setChecked(True)
        field = panel.pin.field(account)
        await until(field.again.isVisible)
        assert [field.combo.itemText(index) for index in range(field.combo.count())] == ["Linen"]
        assert field.combo.isEnabled()
        assert field.field.error() == ""
        assert field.combo.accessibleDescription() == f"Offline: boards as of {read_at:{shown}}"
        service.online = True
        field.again.click()
        await until(lambda: not field.again.isVisible())
        assert field.combo.accessibleDescription() == ""

    compose(story)


def test_board_and_link_are_of_one_width(compose: Compose, service: ModelService, coat: Path) -> None:
    account = service.add_account("pinterest")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.resize(440, 900)
        panel.attachment.take([coat])
        await until(lambda: stored(panel))
        panel.accounts.toggle(account).setChecked(True)
        combo, link = panel.pin.field(account).combo, panel.pin.link
        combo.setMinimumContentsLength(18)  # as with long words while it loads
        await anyio.sleep(0.2)  # the events that lay it out
        assert abs(combo.width() - link.width()) <= 1

    compose(story)
