"""What this month's posts cost, and the cap."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.usage import UsagePane
from app.desktop.usage.cost import read_dollars
from app.workspace.workspace import Workspace
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.model_usage import count, store
from tests.workspace.opened import until


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.practice = False
    store(made, 12, 48)
    count(made, {"posts.create": 148}, plan="creator")
    return made


def opened_pane(opened: Workspace) -> AbstractAsyncContextManager[UsagePane]:
    return shown(UsagePane(opened, LISBON), (1_072, 760))


def test_the_month_is_added_up_and_capped(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    x = service.add_account("x")
    service.add_post(x, service.clock(), "See okafor.studio", "posted")
    service.add_post(x, service.clock(), "Orders open.", "posted")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            card = pane.cost
            await until(card.isVisible)
            assert card.accessibleName() == "Cost on X this month: $0.215"
            assert card.parts.text() == "2 posts · 1 with a link · $0.215 published, $0.00 planned"
            assert "(a bare domain counts as one). Prices as of 20 April 2026." in card.prices.text()
            QTest.keyClicks(card.line, "five")
            QTest.keyClick(card.line, Qt.Key.Key_Return)
            assert card.field.error() == "Enter an amount such as 5.00."
            assert opened.spending.cap is None
            card.line.clear()
            QTest.keyClicks(card.line, "5")
            QTest.keyClick(card.line, Qt.Key.Key_Return)
            await until(lambda: opened.spending.cap == 5_000)

    run(qapp, work)


def test_without_an_account_on_x_there_is_no_card(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("linkedin")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await until(lambda: pane.seen is not None)
            assert not pane.cost.isVisible()

    run(qapp, work)


@pytest.mark.parametrize(
    ("text", "mills"), [("", None), (" $5 ", 5_000), ("0,20", 200), ("1.015", 1_015), ("0", 0)]
)
def test_amounts_are_read_with_either_separator(text: str, mills: int | None) -> None:
    assert read_dollars(text) == mills


@pytest.mark.parametrize("text", ["-1", "1e3", "nan", "inf", "1.2345", "1,000.00", "x" * 10_000])
def test_other_amounts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_dollars(text)
