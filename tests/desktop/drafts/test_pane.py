"""The list of drafts under a person's hands: keys that are held, and uploads that get on meanwhile."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QDrag, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.drafts import DraftsPane
from app.desktop.drafts.list import EDGE, FACTS, INSET, REASON
from app.desktop.widgets import Label
from app.workspace.editing.draft import ComposerDraft
from app.workspace.workspace import Workspace
from tests.desktop.pressing import LEFT, drag_begins
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.media.samples import SlowLine, picture, video
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, until


def test_a_key_that_is_held_throws_one_draft_away(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(DraftsPane(opened, LISBON)) as pane:
            for number in range(9):
                opened.drafts.keep(ComposerDraft(f"Draft {number}"))
            pane.list.setFocus()
            QTest.keyPress(pane.list, Qt.Key.Key_Delete)
            for _ in range(20):
                held = QKeyEvent(
                    QEvent.Type.KeyPress,
                    Qt.Key.Key_Delete,
                    Qt.KeyboardModifier.NoModifier,
                    autorep=True,
                )
                QApplication.sendEvent(pane.list, held)
            assert len(opened.drafts.all()) == 8
            QTest.keyClick(pane.list, Qt.Key.Key_Delete)
            assert len(opened.drafts.all()) == 7

    run(qapp, work)


def test_a_draft_is_dragged_though_others_are_kept_while_it_is_pressed(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragged: list[str] = []
    monkeypatch.setattr(QDrag, "exec", lambda drag, _action: dragged.append(drag.mimeData().text()))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(DraftsPane(opened, LISBON)) as pane:
            drafts = [ComposerDraft(f"Draft {number}") for number in range(4)]
            for draft in drafts:
                opened.drafts.keep(draft)
            place = pane.list.visualItemRect(pane.list.item(2)).center()
            QTest.mousePress(pane.list.viewport(), LEFT, pos=place)
            opened.drafts.keep(ComposerDraft("New"))
            opened.drafts.keep(replace(drafts[0], text="Draft 0, edited"))
            opened.drafts.remove([drafts[3].draft_id])
            drag_begins(pane.list, place)
            assert dragged == ["Draft 1"]
            assert [pane.list.item(row).text() for row in range(4)] == [
                "Draft 0, edited",
                "New",
                "Draft 2",
                "Draft 1",
            ]

    run(qapp, work)


def test_the_list_stays_where_it_is_when_a_draft_arrives(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(DraftsPane(opened, LISBON), (600, 400)) as pane,
        ):
            for number in range(30):
                opened.drafts.keep(ComposerDraft(f"Draft {number}"))
            QApplication.sendPostedEvents()
            bar = pane.list.verticalScrollBar()
            bar.setValue(place := bar.maximum() // 2)
            opened.drafts.keep(ComposerDraft("New"))
            QApplication.sendPostedEvents()
            assert bar.value() == place > 0

    run(qapp, work)


def test_a_row_shows_the_picture_of_its_file(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(DraftsPane(opened, LISBON)) as pane:
            (upload,) = await opened.media.add_files([picture(tmp_path)])
            opened.drafts.keep(ComposerDraft("Coat", upload_id=upload.id))
            opened.drafts.keep(ComposerDraft("Words alone"))
            pane.list.setCurrentRow(0)
            pane.list.viewport().grab()  # rows ask for their pictures while they are painted
            await until(lambda: pane.pictures.of(upload.id, 1.0) is not None)
            area = pane.list.visualItemRect(pane.list.item(1))
            middle = QPoint(area.left() + INSET + EDGE // 2, area.center().y())
            seen = pane.list.viewport().grab().toImage().pixelColor(middle)
            found = pane.pictures.of(upload.id, 1.0)
            assert found is not None
            inside = found.toImage()
            wanted = inside.pixelColor(inside.width() // 2, inside.height() // 2)
            assert abs(seen.red() - wanted.red()) + abs(seen.green() - wanted.green()) < 40

    run(qapp, work)


def test_accounts_of_one_name_are_named_once_and_told_apart_by_platform(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    keys = tuple(service.add_account(platform) for platform in ("x", "linkedin"))
    for account in service.connections:
        account["display_name"] = "Okafor Studio"

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(DraftsPane(opened, LISBON)) as pane:
            opened.drafts.keep(ComposerDraft("Coat", account_keys=keys))
            item = pane.list.item(0)
            assert item.data(FACTS) == "Okafor Studio"
            said = "Coat, Okafor Studio on X, Okafor Studio on LinkedIn, No time"
            assert item.data(Qt.ItemDataRole.AccessibleTextRole) == said

    run(qapp, work)


@pytest.mark.parametrize("chosen", [0, 29])
def test_the_list_stays_where_it_is_while_an_upload_gets_on(
    qapp: QApplication, tmp_path: Path, service: ModelService, chosen: int
) -> None:
    service.add_account("x")
    line = SlowLine(service)

    async def work() -> None:
        opened = await Workspace.open(
            line.client(), tmp_path / "workspace.db", name="Test", clock=service.clock, pace=QUICK
        )
        await opened.refresh()
        async with shown(DraftsPane(opened, LISBON), (600, 400)) as pane:
            for number in range(30):
                opened.drafts.keep(ComposerDraft(f"Draft {number}"))
            (upload,) = await opened.media.add_files([video(tmp_path, "walk.mp4", 1_500_000)])
            opened.drafts.keep(ComposerDraft("With a film", upload_id=upload.id))
            pane.list.setCurrentRow(chosen)
            QApplication.sendPostedEvents()
            bar = pane.list.verticalScrollBar()
            bar.setValue(bar.maximum() // 2)
            place, pressed = bar.value(), pane.list.item(5)
            assert place > 0
            line.go.set()
            await until(lambda: opened.media.uploads.all()[0].is_done)
            await until(lambda: "%" not in str(pane.list.item(0).data(FACTS)))
            QApplication.sendPostedEvents()
            assert bar.value() == place
            assert pane.list.currentRow() == chosen
            assert pane.list.item(5) is pressed
        await opened.close()

    run(qapp, work)


def test_why_an_upload_failed_is_told_apart_from_the_accounts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(DraftsPane(opened, LISBON)) as pane:
            gone = picture(tmp_path)
            files = await opened.media.look_at([gone])
            gone.unlink()
            (upload,) = await opened.media.uploads.add(files)
            opened.drafts.keep(ComposerDraft("", (account,), upload_id=upload.id))
            await until(lambda: opened.media.uploads.all()[0].is_failed)
            item = pane.list.item(0)
            reason = "The file was moved or deleted. Add it again."
            await until(lambda: item.data(REASON) == reason)
            assert reason not in item.data(FACTS)
            assert reason in item.data(Qt.ItemDataRole.AccessibleTextRole)
            pane.list.setCurrentRow(0)
            assert any(label.text() == reason for label in pane.preview.findChildren(Label))

    run(qapp, work)
