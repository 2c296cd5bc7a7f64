"""The history while it is looked at: news keep the person's place, and no button does nothing."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.desktop.history import HistoryPane
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_history import keep_history, record
from tests.workspace.opened import until

SIZE = (1_072, 760)


def test_there_is_nothing_to_export_where_nothing_fits(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [record(1)])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: pane.model.rowCount() == 1)
            assert pane.toolbar.export_button.isEnabled()
            pane.toolbar.search.setText("parsley")
            await until(pane.no_match.isVisible)
            assert not pane.toolbar.export_button.isEnabled()
            pane.no_match.acted.emit()
            await until(pane.toolbar.export_button.isEnabled)

    run(qapp, work)


def test_the_details_keep_the_focus_when_something_is_published(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    records = [record(number) for number in range(1, 5)]
    keep_history(service, records)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: pane.model.rowCount() == 4)
            pane.list.setCurrentIndex(pane.model.index(2))
            pane.details.more.button.click()
            await until(pane.details.copy.isVisible)
            pane.details.copy.setFocus()
            await until(pane.toolbar.refresh_button.isEnabled)
            records.insert(0, record(0))
            pane.refresh()
            await until(lambda: pane.model.rowCount() == 5 and pane.model.record(3))
            assert pane.details.copy.hasFocus()
            assert pane.list.currentIndex().row() == 3

    run(qapp, work)


def test_what_is_read_stays_where_it_is_when_something_is_published(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    records = [record(number) for number in range(1, 80)]
    keep_history(service, records)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: pane.model.rowCount() == 79 and pane.model.record(0))
            await until(pane.toolbar.refresh_button.isEnabled)
            bar = pane.list.verticalScrollBar()
            bar.setValue(bar.maximum() // 2)
            middle = pane.list.viewport().rect().center()
            seen = pane.model.places[pane.list.indexAt(middle).row()]
            records.insert(0, record(0))
            pane.refresh()
            await until(lambda: pane.model.rowCount() == 80)
            assert pane.model.places[pane.list.indexAt(middle).row()] == seen

    run(qapp, work)


def test_a_surface_that_is_chosen_shows_in_a_narrow_window_too(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    keep_history(service, [record(1), record(2, created_via="mcp")])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            via = pane.toolbar.via
            await until(lambda: pane.model.rowCount() == 2 and via.findData("mcp") > 0)
            via.setCurrentIndex(via.findData("mcp"))
            await until(lambda: pane.model.rowCount() == 1)
            pane.resize(700, 640)
            assert via.isVisible()
            via.setCurrentIndex(0)
            await until(lambda: pane.model.rowCount() == 2)
            assert not via.isVisible()

    run(qapp, work)
