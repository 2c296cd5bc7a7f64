"""The pane of files in little room: it does not scroll sideways, comes to rest, and cuts nothing off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.media.alt_text import AltText
from app.desktop.media.arrangement import Arrangement
from app.desktop.media.pane import MediaPane
from app.desktop.shell.regions import PaneArea
from app.desktop.theme import theme
from app.desktop.widgets import IconLabel, Label
from app.language import use
from tests.desktop.media.seeing import MIB, OnPane, Seen, jpeg
from tests.workspace.media.samples import SlowLine, video
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

SIZES = ((1_072, 772), (982, 734), (816, 612), (716, 574), (620, 574))
"""What the rail leaves of windows of 1280x800 and 1024x640, at usual and at the largest text; and less."""

_PATIENCE = 60
"""Rounds of the event loop in which everything has to come to rest."""


class _Layouts(QObject):
    """Counts how often something is to be laid out anew."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize)
        return False


async def at_rest(area: QWidget) -> None:
    """Waits until nothing is laid out any more; fails when that never comes."""
    seen = _Layouts()
    for widget in (area, *area.findChildren(QWidget)):
        widget.installEventFilter(seen)
    quiet = 0
    for _ in range(_PATIENCE):
        seen.count = 0
        await asyncio.sleep(0.002)
        quiet = quiet + 1 if seen.count == 0 else 0
        if quiet == 3:
            return
    pytest.fail("the layout does not come to an end")


@asynccontextmanager
async def in_the_window(pane: MediaPane) -> AsyncIterator[PaneArea]:
    """The pane where the window shows it."""
    area = PaneArea()
    area.add(pane)
    area.show_pane(pane)
    area.show()
    try:
        yield area
    finally:
        area.stack.removeWidget(pane)
        pane.setParent(None)
        area.deleteLater()


def scrolling_sideways(area: PaneArea) -> list[str]:
    """The areas that do, and by how many pixels."""
    areas = [area, *(one for one in area.findChildren(QScrollArea) if one.isVisible())]
    bars = [(type(one.parentWidget()).__name__, one.horizontalScrollBar().maximum()) for one in areas]
    return [f"{name} {most}" for name, most in bars if most]


def squeezed(pane: MediaPane) -> list[str]:
    """What has less room than it needs, or reaches out of what it stands in."""
    tools = pane.toolbar
    parts: list[QWidget] = [tools.kinds, tools.order, tools.form, tools.import_button, tools.add_button]
    found = [part.accessibleName() for part in parts if not part.isVisible()]
    parts += [pane.queue.room, pane.queue.limit, pane.queue.fold, pane.queue.title]
    for row in pane.queue.rows():
        parts += [row.name, *(control for control in row.controls() if control.isVisible())]
    for part in parts:
        holder = part.parentWidget()
        least = part.minimumSizeHint().width()
        if (
            part.isVisible()
            and holder is not None
            and not (part.width() >= least and holder.rect().contains(part.geometry()))
        ):
            found.append(f"{type(part).__name__} {part.accessibleName()} {part.geometry()} needs {least}")
    return found


async def furnished(now: Seen, line: SlowLine, folder: Path) -> None:
    """Files, room that is used, and a queue of uploads that run and wait."""
    await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
    names = ("studio-tour-of-the-whole-house", "walk", "hem", "coat-on-the-beach")
    await now.media.add_files([video(folder, f"{name}.mp4", MIB // 4) for name in names])
    await until(lambda: line.uploads == 2)
    queue = now.pane.queue
    await until(lambda: queue.rows() and not queue._building.isActive() and queue.room.isVisible())
    await until(now.pane.details.isVisible)


@pytest.mark.parametrize("scale", [1.0, pytest.param(1.5, marks=pytest.mark.variation), 2.0])
def test_it_never_scrolls_sideways_and_comes_to_rest(
    qapp: QApplication, on_pane: OnPane, tmp_path: Path, service: ModelService, scale: float
) -> None:
    line = SlowLine(service)

    async def story(now: Seen) -> None:
        await furnished(now, line, tmp_path)
        theme.apply(qapp, "light", scale)
        async with in_the_window(now.pane) as area:
            for form in ("grid", "list"):
                now.pane.toolbar.form.set_value(form)
                for has_panel in (True, False):
                    now.choose(*(["me/coat.jpg"] if has_panel else []))
                    now.pane._show_details()
                    for size in (*SIZES, *reversed(SIZES)):
                        area.resize(*size)
                        await at_rest(area)
                        assert now.pane.details.isVisible() is has_panel
                        told = f"{form} {size} at {scale}, panel: {has_panel}"
                        assert (told, scrolling_sideways(area), squeezed(now.pane)) == (told, [], [])

    on_pane(story, line=line)


def test_tab_goes_to_the_panel_where_it_stands(
    qapp: QApplication, on_pane: OnPane, tmp_path: Path, service: ModelService
) -> None:
    line = SlowLine(service)

    async def story(now: Seen) -> None:
        await furnished(now, line, tmp_path)
        theme.apply(qapp, "light", 2.0)
        pane = now.pane
        async with in_the_window(pane) as area:
            for size, is_below in (((982, 734), False), ((716, 574), True), ((982, 734), False)):
                area.resize(*size)
                await at_rest(area)
                assert pane.parts.is_below is is_below
                assert (pane.details.y() > pane.grid.height()) is is_below
                reached: list[QWidget] = []
                control = pane.grid.nextInFocusChain()
                while control is not None and control is not pane.grid:
                    reached.append(control)
                    control = control.nextInFocusChain()
                picture, limit = pane.details.picture, pane.queue.limit
                assert (reached.index(picture) < reached.index(limit)) is is_below

    on_pane(story, line=line)


def test_what_is_to_be_written_grows_with_the_text(qapp: QApplication, qtbot: QtBot) -> None:
    alt_text = AltText()
    qtbot.addWidget(alt_text)
    alt_text.show()
    theme.apply(qapp, "light", 2.0)
    assert alt_text.editor.viewport().font().pixelSize() == theme.current().font("card").pixelSize()


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_platforms_that_accept_a_file_are_in_one_line(
    on_pane: OnPane, tmp_path: Path, language: str
) -> None:
    picture = tmp_path / "square.jpg"
    picture.write_bytes(jpeg(1_200))

    async def story(now: Seen) -> None:
        use(language)
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        await now.media.add_files([picture])
        await until(lambda: "square.jpg" in now.names())
        item = next(item for item in await now.media.library.items() if item.name == "square.jpg")
        now.pane.resize(1_072, 600)  # so low that the panel has a scroll bar
        now.choose(item.path)
        await until(lambda: now.pane.details.name.text() == "square.jpg")
        await at_rest(now.pane)
        marks = [one for one in now.pane.details.findChildren(IconLabel) if one.toolTip()]
        assert len(marks) >= 8
        assert len({one.y() for one in marks}) == 1
        assert all(left.geometry().right() < right.x() for left, right in pairwise(marks))

    try:
        on_pane(story)
    finally:
        use("en")


def test_a_message_instead_of_files_has_the_height_of_its_lines(qapp: QApplication, on_pane: OnPane) -> None:
    async def story(now: Seen) -> None:
        await now.until_listed("Café.jpg", "walk.mp4", "coat.jpg")
        now.choose("me/coat.jpg")
        await until(now.pane.details.isVisible)
        theme.apply(qapp, "light", 2.0)
        message = Label("The list of files cannot be read: the disk does not answer. " * 3, "hero", wrap=True)
        details, queue = now.pane.details, now.pane.queue
        parts = Arrangement(message, details, queue)
        parts.resize(674, 400)
        parts.show()
        await at_rest(parts)
        parts.resize(674, parts.minimumSizeHint().height())
        await at_rest(parts)
        assert parts.is_below
        assert message.height() >= message.heightForWidth(message.width()) > 240
        assert message.geometry().bottom() < details.y()
        assert details.height() >= details.minimumHeight()
        assert parts.rect().contains(details.geometry())
        for part in (details, queue):
            part.setParent(now.pane)
        parts.deleteLater()

    try:
        on_pane(story)
    finally:
        theme.apply(qapp, "light")
