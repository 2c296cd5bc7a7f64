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
            await until(lambda: len(pane.model.places) == 1)
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
            await until(lambda: len(pane.model.places) == 4)
            pane.list.setCurrentIndex(pane.model.index(3))
            await until(pane.details.more.isVisible)
            pane.details.more.setFocus()
            await until(pane.toolbar.refresh_button.isEnabled)
            records.insert(0, record(0))
            pane.refresh()
            await until(lambda: len(pane.model.places) == 5 and pane.model.record(4))
            assert pane.details.more.hasFocus()
            assert pane.list.currentIndex().row() == 4

    run(qapp, work)


def test_what_is_read_stays_where_it_is_when_something_is_published(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    records = [record(number) for number in range(1, 80)]
    keep_history(service, records)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            await until(lambda: len(pane.model.places) == 79 and pane.model.record(1))
            await until(pane.toolbar.refresh_button.isEnabled)
            bar = pane.list.verticalScrollBar()
            bar.setValue(bar.maximum() // 2)
            middle = pane.list.viewport().rect().center()
            seen = pane.model.place(pane.list.indexAt(middle).row())
            records.insert(0, record(0))
            pane.refresh()
            await until(lambda: len(pane.model.places) == 80)
            assert pane.model.place(pane.list.indexAt(middle).row()) == seen

    run(qapp, work)


def test_a_filter_in_force_shows_on_its_button_in_a_narrow_window_too(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    keep_history(service, [record(1), record(2, created_via="mcp")])

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(HistoryPane(opened, LISBON), SIZE) as pane:
            button = pane.toolbar.filter_button
            await until(lambda: len(pane.model.places) == 2)
            filters = pane.toolbar.ask()
            filters.via.setCurrentIndex(filters.via.findData("mcp"))
            filters.close()
            await until(lambda: len(pane.model.places) == 1)
            pane.resize(700, 640)
            assert button.text() == "Filter (1)"
            pane.toolbar.clear()
            await until(lambda: len(pane.model.places) == 2)
            assert button.text() == ""
            assert button.accessibleName() == "Filter"

    run(qapp, work)
