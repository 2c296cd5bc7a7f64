"""What a screen reader finds of panes that don't show."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractItemView, QApplication

from app.desktop.shell.window import DESTINATIONS
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import Person, at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def ghosts(thing: QAccessibleInterface, *, shows: bool = True) -> Iterator[str]:
    """The items that say they show, in what doesn't."""
    is_seen = not thing.state().invisible
    if is_seen and not shows and thing.role() in (QAccessible.Role.ListItem, QAccessible.Role.Cell):
        yield thing.text(QAccessible.Text.Name)
    for number in range(thing.childCount()):
        if (child := thing.child(number)).isValid():
            yield from ghosts(child, shows=shows and is_seen)


def filled(person: Person) -> list[QAbstractItemView]:
    """The views that have items; some have no model."""
    views = person.window.findChildren(QAbstractItemView)
    models: list[QAbstractItemModel | None] = [view.model() for view in views]
    return [view for view, model in zip(views, models, strict=True) if model is not None and model.rowCount()]


def test_no_item_shows_in_a_pane_that_was_left(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    for platform in ("x", "pinterest"):
        service.add_account(platform)
    service.files = {"me/a.jpg": b"a", "me/b.jpg": b"b"}
    service.offers, service.tells_usage = ("media",), True

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            for text in ("First", "Second"):
                opened.drafts.keep(ComposerDraft(text))
            person.controller.complete()
            for name in (one.name for one in DESTINATIONS):
                person.window.go(name)
                await asyncio.sleep(0.05)
            await until(lambda: person.controller.media.model.rowCount() == 2)
            person.window.go("media")
            for view in filled(person):
                view.setCurrentIndex(view.model().index(0, 0))
            person.window.go("settings")
            hidden = [view for view in filled(person) if not view.isVisible()]
            assert len(hidden) > 3
            window = QAccessible.queryAccessibleInterface(person.window)
            assert list(ghosts(window)) == []
            for view in hidden:
                assert view.visualRect(view.model().index(0, 0)).isEmpty(), view
            person.window.go("drafts")
            shown = QAccessible.queryAccessibleInterface(person.controller.drafts.list)
            assert not any(shown.child(row).state().invisible for row in range(2))

    run(qapp, work)
