"""The bar of accounts above the dashboard."""

from pytestqt.qtbot import QtBot

from app.desktop.analytics.choices import SourceBar
from app.workspace.analytics.dataset import Source

SOURCES = [Source(f"key-{number}", "x", f"Account {number}") for number in range(9)]


def shown(bar: SourceBar) -> list[str]:
    return [key for key, chip in bar._chips.items() if chip.isVisible()]


def test_a_selected_account_that_did_not_fit_gets_its_chip(qtbot: QtBot) -> None:
    bar = SourceBar()
    qtbot.addWidget(bar)
    bar.resize(560, 30)
    bar.show_sources(SOURCES)
    bar.show()
    before = shown(bar)
    assert before[0] == "key-0"
    assert "key-8" not in before
    bar.choose(["key-8"])
    assert shown(bar) == [*before[:-1], "key-8"]
    assert bar._chips["key-8"].isChecked()
    assert not bar.more.isChecked()
    assert bar.more.geometry().right() < bar.width()
    bar.choose([])
    assert shown(bar) == before


def test_more_is_marked_only_if_the_selection_does_not_fit(qtbot: QtBot) -> None:
    bar = SourceBar()
    qtbot.addWidget(bar)
    bar.resize(560, 30)
    bar.show_sources(SOURCES)
    bar.show()
    bar.choose([source.key for source in SOURCES[1:]])
    assert bar.more.isChecked()
