from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.desktop.carried import Carried
from app.desktop.changes import ConflictPanel, StepPanel
from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.shell.house import House
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from app.workspace.composer.draft import ComposerDraft
from app.workspace.homes import Home
from app.workspace.homes.home import HomeKind
from app.workspace.messages import MessageAction
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
DAY = 86_400_000


@pytest.mark.parametrize("kept", ["", "Another one, half written"])
def test_a_failed_post_is_written_again_and_no_other_text_is_lost(
    qapp: QApplication, tmp_path: Path, kept: str
) -> None:
    theme.apply(qapp, "light")
    service = service_of_today()
    account = service.add_account()
    service.add_post(account, wall_clock() - DAY, "Orders open at nine.", status="failed")

    async def work() -> None:
        window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
        async with workspace(tmp_path, service) as opened, shown(window):
            home = Home(kind=HomeKind.EMBEDDED, name="Studio")
            house = House(window, opened, home, LISBON)
            opened.save_composer(ComposerDraft(kept))
            house.inspect(opened.posts.all()[0].key)
            inspector = window.side
            assert isinstance(inspector, Inspector)
            await until(inspector.next_steps.write_button.isVisible)
            inspector.next_steps.write_button.click()
            await until(lambda: isinstance(window.side, ComposerPanel))
            composer = window.side
            assert isinstance(composer, ComposerPanel)
            await until(lambda: not composer.text_box.editor.isReadOnly())
            assert composer.text_box.text() == "Orders open at nine."
            assert composer.accounts.chosen() == (account,)
            assert [draft.content.text for draft in opened.drafts.all()] == ([kept] if kept else [])
            house.close()

    run(qapp, work)


@pytest.mark.parametrize("kept", ["", "Another one, half written"])
def test_dropped_text_is_written_and_another_becomes_a_draft(
    qapp: QApplication, tmp_path: Path, kept: str
) -> None:
    theme.apply(qapp, "light")
    service = service_of_today()
    service.add_account()

    async def work() -> None:
        window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
        async with workspace(tmp_path, service) as opened, shown(window):
            house = House(window, opened, Home(kind=HomeKind.EMBEDDED, name="Studio"), LISBON)
            opened.save_composer(ComposerDraft(kept))
            house.calendar.dropped.emit(Carried(text="Read this"), wall_clock() + DAY)
            await until(lambda: isinstance(window.side, ComposerPanel))
            composer = window.side
            assert isinstance(composer, ComposerPanel)
            await until(lambda: not composer.text_box.editor.isReadOnly())
            assert composer.text_box.text() == "Read this"
            assert [draft.content.text for draft in opened.drafts.all()] == ([kept] if kept else [])
            house.close()

    run(qapp, work)


def test_what_was_changed_can_be_looked_at(qapp: QApplication, tmp_path: Path) -> None:
    theme.apply(qapp, "light")
    service = service_of_today()
    service.add_account()

    async def work() -> None:
        window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
        async with workspace(tmp_path, service) as opened, shown(window):
            house = House(window, opened, Home(kind=HomeKind.EMBEDDED, name="Studio"), LISBON)
            house.calendar.changesRequested.emit()
            steps = window.side
            assert isinstance(steps, StepPanel)
            house.act(MessageAction("Compare", "compare", "any"))
            conflicts = window.side
            assert isinstance(conflicts, ConflictPanel)
            conflicts.closed.emit()
            assert window.side is not conflicts
            house.close()

    run(qapp, work)


def test_what_the_pane_of_the_accounts_says_itself_is_told_by_no_message_besides(
    qapp: QApplication, tmp_path: Path
) -> None:
    theme.apply(qapp, "light")
    service = service_of_today()
    service.add_account()

    async def work() -> None:
        window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
        async with workspace(tmp_path, service) as opened, shown(window):
            house = House(window, opened, Home(kind=HomeKind.EMBEDDED, name="Studio"), LISBON)
            window.go("connections")
            service.online = False
            house.connections.refresh_button.click()
            await until(house.connections.strip.isVisible)
            await until(lambda: not house._scope.is_busy)
            assert not window.messages.texts()
            house.calendar.refreshRequested.emit()
            await until(window.messages.texts)
            house.close()

    run(qapp, work)
