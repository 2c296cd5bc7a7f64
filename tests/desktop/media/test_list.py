"""The files as a list: columns that sort, rows that are chosen, and a choice that is kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostType
from app.desktop.media.columns import COLUMNS, NAME, PICTURE, places
from app.desktop.media.grid import columns_in
from app.desktop.media.model import ORDERS
from app.desktop.media.pane import MediaPane
from app.desktop.media.preview import Preview
from app.desktop.media.wording import brief_facts
from app.desktop.theme import theme
from app.language import data_size
from app.workspace.catalogues import KeptFile
from app.workspace.media.library import MediaItem
from app.workspace.workspace import Workspace
from tests.desktop.calendar.memory import post
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.media.samples import MP4
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.offers = ("media",)
    sizes = {"me/b.jpg": 3_000, "me/a.jpg": 9_000, "me/c.mp4": 6_000}
    made.files = {
        path: (MP4 if "mp4" in path else b"\xff\xd8\xff").ljust(size) for path, size in sizes.items()
    }
    return made


@asynccontextmanager
async def listed(opened: Workspace) -> AsyncIterator[MediaPane]:
    async with shown(MediaPane(opened, LISBON)) as pane:
        pane.resize(1_300, 700)
        await until(lambda: pane.model.rowCount() == 3)
        yield pane


def names(pane: MediaPane) -> str:
    items = [pane.model.item(row) for row in range(pane.model.rowCount())]
    return "".join(item.name[0] for item in items if item)


def test_columns_sort_both_ways_by_mouse_and_keyboard(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, listed(opened) as pane:
            assert not pane.head.isVisible()
            pane.toolbar.form.set_value("list")
            await until(pane.head.isVisible)
            size, name = pane.head.buttons["Size"], pane.head.buttons["Name"]
            QTest.mouseClick(size, Qt.MouseButton.LeftButton)
            assert (names(pane), size.accessibleName()) == ("acb", "Sort by size, largest first")
            QTest.mouseClick(size, Qt.MouseButton.LeftButton)
            assert (names(pane), size.accessibleName()) == ("bca", "Sort by size, smallest first")
            name.setFocus()
            QTest.keyClick(name, Qt.Key.Key_Space)
            assert (names(pane), size.accessibleName()) == ("abc", "Sort by size")
            QTest.keyClick(name, Qt.Key.Key_Space)
            assert names(pane) == "cba"
            pane.toolbar.add_button.setFocus()
            reached = []
            for _ in range(7):
                QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Tab)
                reached.append(pane.focusWidget())
            assert reached == [*pane.head.buttons.values(), pane.grid]
            assert pane.toolbar.order_key() == "name-back"
            QTest.mouseClick(pane.head.buttons["Length"], Qt.MouseButton.LeftButton)
            assert names(pane)[0] == "c"

    run(qapp, work)


def test_rows_are_chosen_opened_and_said_like_tiles(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, listed(opened) as pane:
            pane.toolbar.set_order("name")
            pane.grid.choose(["me/b.jpg"])
            pane.toolbar.form.set_value("list")
            chosen = pane.grid.current_item()
            assert chosen is not None
            assert chosen.path == "me/b.jpg"
            heights = {pane.grid.visualRect(pane.model.index(row)).height() for row in range(3)}
            assert heights == {pane.grid.gridSize().height()}
            pane.grid.setFocus()
            QTest.keyClick(pane.grid, Qt.Key.Key_Down)
            moved = pane.grid.current_item()
            assert moved is not None
            assert moved.path == "me/c.mp4"
            told = pane.model.index(2).data(Qt.ItemDataRole.AccessibleTextRole)
            size = data_size(len(service.files["me/c.mp4"] or b""))
            assert told == f"c.mp4, MP4 video, 0:42, {size}, added 20 Nov 2026"
            QTest.keyClick(pane.grid, Qt.Key.Key_Return)
            (sheet,) = pane.findChildren(Preview)
            assert sheet.name.text() == "c.mp4"

    run(qapp, work)


def test_form_and_order_are_kept(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with listed(opened) as pane:
                pane.toolbar.form.set_value("list")
                pane.toolbar.set_order("smallest")
                while (await opened.media.shown.load()).order != "smallest":
                    await until(lambda: True)
            async with listed(opened) as pane:
                assert pane.grid.is_list
                assert pane.head.isVisible()
                assert (names(pane), pane.toolbar.order_key()) == ("bca", "smallest")
                assert pane.head.buttons["Size"].order == "smallest"
                pane.toolbar.form.set_value("grid")
                await until(lambda: not pane.grid.is_list)
                assert not pane.head.isVisible()

    run(qapp, work)


@given(width=st.integers(0, 4_000), scale=st.sampled_from([1.0, 1.25, 2.0]))
def test_columns_stand_side_by_side_at_every_width(width: int, scale: float) -> None:
    found = places(width, scale)
    assert found[0].column is NAME
    assert found[0].left == PICTURE
    for one, other in pairwise(found):
        assert one.left + one.width < other.left
    if len(found) == len(COLUMNS):
        assert found[-1].left + found[-1].width <= width - 4  # inside the frame of a selected row


@given(room=st.integers(0, 4_000), scale=st.sampled_from([1.0, 1.25, 1.5, 2.0]))
def test_captions_have_more_room_in_larger_text(qapp: QApplication, room: int, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    columns = columns_in(room)
    assert columns == 1 or room // columns >= 132
    assert columns <= 2 or room // columns >= 132 * scale
    assert columns >= min(2, room // 148)
    assert columns <= 4 or room // columns >= 160 * scale  # not smaller than in a narrower window


def test_what_has_no_room_below_a_file_is_its_size(qapp: QApplication) -> None:
    theme.apply(qapp, "light", 1.5)
    font = theme.current().font("small")
    file = KeptFile("me/a.mp4", "a.mp4", PostType.VIDEO, "video/mp4", 228_500, None, None, None, "", None)
    item = MediaItem(file, (post("one", "2031-06-12T08:00"), post("two", "2031-06-13T08:00")))
    assert brief_facts(item, font, 400) == "223.1 KB · in 2 posts"
    assert brief_facts(item, font, 120) == "in 2 posts"


def test_every_column_sorts_by_orders_that_there_are() -> None:
    for column in COLUMNS:
        assert set(column.orders) <= set(ORDERS)
        first, other = (ORDERS[key][2] for key in column.orders)
        assert first is not other
