"""Every pane of the window, and whether it shows all of its content."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from PySide6.QtWidgets import QAbstractButton, QWidget

from app.desktop.history import HistoryPane
from app.desktop.shell.main_controller import MainController
from app.desktop.webhooks import WebhooksPane
from app.desktop.widgets import EmptyState
from tests.hostile.running import State
from tests.hostile.seen import reason, texts
from tests.hostile.visitor import Visitor, is_loading

_COMES_OF: Final = {"media": "posts"}
"""Files are known by the posts that use them."""


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane, its parts, and whether it shows everything."""

    name: str
    widget: QWidget
    area: str
    is_full: Callable[[], bool]


def panes(controller: MainController, state: State) -> Iterator[Pane]:
    """Yield every pane in the order of the sidebar, except the settings."""
    calendar, drafts, media = controller.calendar, controller.drafts, controller.media
    yield Pane("calendar", calendar, "posts", lambda: calendar.model.post_count >= len(state.posts) > 0)
    yield Pane("drafts", drafts, "drafts", drafts.empty.isVisible)
    yield Pane("media", media, "media", lambda: media.model.rowCount() >= state.files > 0)
    yield Pane("connections", controller.connections, "connections", lambda: _has_accounts(controller, state))
    yield Pane("analytics", controller.analytics, "analytics", lambda: _has_numbers(controller))
    yield Pane("history", controller.history, "history", lambda: _is_read(controller.history, state.history))
    yield Pane("usage", controller.usage, "usage", lambda: controller.usage.seen is not None)
    yield Pane("webhooks", controller.webhooks, "webhooks", lambda: _is_logged(controller.webhooks, state))


async def look_around(visitor: Visitor, state: State) -> None:
    """Open every pane. Each shows its content, or a sentence with the reason."""
    for pane in panes(visitor.controller, state):
        visitor.controller.window.go(pane.name)
        await visitor.until(
            lambda pane=pane: _is_fine(pane, visitor, state),  # type: ignore[misc]
            f"{pane.name} shows nothing",
        )
        visitor.judge(pane.widget, pane.name)
    await look_at_settings(visitor)


async def look_at_settings(visitor: Visitor) -> None:
    """Open every section of the settings. The logs contain output of programs."""
    settings = visitor.controller.settings
    visitor.controller.window.go("settings")
    for name in settings.items:
        settings.show_section(name)
        section = settings._sections[name]
        await visitor.until(
            lambda section=section: len(texts(section)) > 2 and not is_loading(section),  # type: ignore[misc]
            f"settings show no {name}",
        )
        if name != "logs":
            visitor.judge(section, name, visitor.variation.name)


def _has_accounts(controller: MainController, state: State) -> bool:
    return len(controller.connections.cards()) == len(controller.workspace.accounts) == state.connections > 0


def _has_numbers(controller: MainController) -> bool:
    """Whether all charts and the selected post's curve are shown."""
    board = controller.analytics.board
    if board is None or not board.isVisible():
        return False
    return board.posts.place is None or board.post._curve is not None


def _is_read(pane: HistoryPane, count: int) -> bool:
    """Whether every row shows what was published, and the selected one all of its details."""
    model = pane.model
    is_read = all(model.is_heading(row) or model.record(row) for row in range(model.rowCount()))
    return len(model.places) >= count > 0 and is_read and _is_beside(pane)


def _is_beside(pane: HistoryPane) -> bool:
    return pane.details.isVisible() or pane.width() < 760


def _is_logged(pane: WebhooksPane, state: State) -> bool:
    """Whether every subscription is shown, with the selected one's deliveries or the reason why not."""
    if not len(pane.model.webhooks) >= state.webhooks > 0:
        return False
    log = pane.log
    return bool(log.model.rowCount()) or log.empty.isVisible() or bool(reason(log.failed))


def _is_fine(pane: Pane, visitor: Visitor, state: State) -> bool:
    if is_loading(pane.widget):
        return False
    if pane.is_full():
        return True
    if visitor.variation.fails & {pane.area, _COMES_OF.get(pane.area, pane.area)}:
        return bool(reason(pane.widget))
    if _is_empty(pane.area, state):
        return not reason(pane.widget) and _says_what_is_missing(pane.widget)
    for button in pane.widget.findChildren(QAbstractButton):
        if button.text() == "Try again" and button.isVisible() and button.isEnabled():
            button.click()
    return False


def _says_what_is_missing(widget: QWidget) -> bool:
    """Whether a sentence is shown in place of the content."""
    empty = [one for one in widget.findChildren(EmptyState) if one.isVisible()]
    missing = ("Nothing scheduled", "Connect an account", "Connect your first account")
    return bool(empty) or any(text.startswith(missing) for text in texts(widget))


def _is_empty(area: str, state: State) -> bool:
    """Whether the service has no content of this kind."""
    sizes = {"posts": len(state.posts), "connections": state.connections, "media": state.files}
    sizes |= {"history": state.history, "webhooks": state.webhooks}
    sizes |= {"analytics": state.history + state.metrics}
    return sizes.get(area) == 0
