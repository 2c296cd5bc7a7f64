"""The side panels: the composer, post details, and panels opened from menus and cards."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, QTimer

from app.desktop.aio import TaskScope
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.controller import State
from app.desktop.finishing.desk import FinishingDesk
from app.desktop.opening import open_page
from app.desktop.shell.first_post import first_post_message
from app.desktop.shell.rewriting import Rewriting
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.composer import ComposerPanel
    from app.desktop.connections.pane import ConnectionsPane
    from app.desktop.drafts import DraftsPane

_A_SAMPLE: Final = tr("That's a sample. Connect an account to plan posts of your own.")


class Panes(Protocol):
    """The panes that the side panels are connected to."""

    is_closed: bool

    @property
    def window(self) -> MainWindow: ...
    @property
    def workspace(self) -> Workspace: ...
    @property
    def calendar(self) -> CalendarPane: ...
    @property
    def finishing(self) -> FinishingDesk: ...
    @property
    def rewriting(self) -> Rewriting: ...
    @property
    def connections(self) -> "ConnectionsPane": ...
    @property
    def drafts(self) -> "DraftsPane": ...
    def is_built(self, name: str) -> bool: ...
    def connect_platform(self, platform: str) -> None: ...


class SidePanels:
    """Builds and connects the side panels. One is open at a time; each is imported when first opened."""

    def __init__(self, panes: Panes, zone: ZoneInfo, scope: TaskScope, *, runs_here: bool) -> None:
        """``runs_here``: the service is on this computer."""
        self._panes = panes
        self._window = panes.window
        self._workspace = panes.workspace
        self._calendar = panes.calendar
        self._zone = zone
        self._scope = scope
        self._runs_here = runs_here
        self._composer: ComposerPanel | None = None

    def compose(self, at: object = None, suggested_at: object = None) -> "ComposerPanel":
        """Open the composer, optionally at a time in ms since 1970 UTC.

        A suggested time only applies to a new post: an unfinished one keeps its own.
        """
        from app.desktop.composer import ComposerPanel

        chosen, suggested = (one if isinstance(one, int) else None for one in (at, suggested_at))
        panel = ComposerPanel(self._workspace, self._zone, chosen, suggested_at=suggested)
        panel.closed.connect(self._close_composer)
        panel.destroyed.connect(self._show_unfinished)
        panel.targetChanged.connect(self._calendar.mark_day)
        panel.publishing.connect(self._panes.rewriting.offer_back)
        panel.planned.connect(partial(self._go_to_corrected, panel))
        panel.planned.connect(self._tell_of_first_post)
        panel.told.connect(self._window.messages.tell)
        self._composer = panel
        self._window.open_side(panel)
        if self._panes.is_built("drafts"):
            self._panes.drafts.show_unfinished(None)
        panel.go_to_text()
        return panel

    def resume(self) -> None:
        """Go to the composer with the unfinished post."""
        if self._is_composing and self._composer is not None:
            self._composer.go_to_text()
        else:
            self._window.go("calendar")
            self.compose()

    def _show_unfinished(self) -> None:
        """List the unfinished post among the drafts while it isn't in the composer."""
        if not self._panes.is_closed and not self._is_composing and self._panes.is_built("drafts"):
            self._scope.start(self.list_unfinished())

    async def list_unfinished(self) -> None:
        """List the unfinished post among the drafts, unless it's in the composer."""
        kept = await self._workspace.load_composer()
        if not self._is_composing:
            self._panes.drafts.show_unfinished(kept)

    @property
    def _is_composing(self) -> bool:
        return self._composer is not None and self._window.side is self._composer

    def unfinished(self) -> str:
        """Return that posts wait for their file in the composer; "" if they don't."""
        panel = self._composer
        return panel.waiting.given_up() if panel is not None and self._is_composing else ""

    def _close_composer(self) -> None:
        self._window.close_side()
        self._calendar.mark_day(None)
        self._calendar.setFocus()

    def _go_to_corrected(self, panel: "ComposerPanel", keys: Sequence[str]) -> None:
        """Go to the posts that replace another one: the calendar is still at the one that is cancelled."""
        if panel.model.replaces:
            self._calendar.reveal(keys)

    def _tell_of_first_post(self, keys: Sequence[str]) -> None:
        if told := first_post_message(self._workspace, keys, self._zone, runs_here=self._runs_here):
            self._window.messages.tell(told)

    def inspect(self, key: str) -> None:
        """Open a post in the side panel."""
        self._calendar.mark_day(None)
        from app.desktop.inspector import Inspector

        if isinstance(self._window.side, Inspector) and self._window.side.key == key:
            return
        if key in self._workspace.samples.posts:
            self._calendar.notice.emphasize(_A_SAMPLE)
            return
        panel = Inspector(self._workspace, self._zone, key)
        panel.closed.connect(self._window.close_side)
        panel.told.connect(self._window.messages.tell)
        panel.writeAgain.connect(lambda key: self._scope.start(self._panes.rewriting.write_again(key)))
        panel.editRequested.connect(lambda key: self._scope.start(self._panes.rewriting.replace(key)))
        panel.went.connect(self._window.go)
        panel.other_wanted.connect(self._inspect_instead)
        panel.finishing_wanted.connect(self._panes.finishing.hand_over)
        panel.service_visited.connect(lambda: self._scope.start(self._visit_service()))
        self._window.open_side(panel)
        self._calendar.mark_opened(key)
        panel.announce_opening()

    def _inspect_instead(self, key: str) -> None:
        """Open another post from the side panel, which keeps the focus."""
        self.inspect(key)
        if self._window.side is not None:
            self._window.side.setFocus()

    def show_selected(self, keys: Iterable[str]) -> None:
        """List several selected posts in the side panel."""
        from app.desktop.inspector import SelectedPosts

        panel = self._window.side
        if not isinstance(panel, SelectedPosts):
            panel = SelectedPosts(self._workspace, self._zone)
            panel.closed.connect(self._window.close_side)
            self._window.open_side(panel)
        panel.show_posts(keys)

    def show_steps(self) -> None:
        """Open the undo history."""
        from app.desktop.changes import StepPanel

        panel = StepPanel(self._workspace, self._zone)
        panel.closed.connect(self._window.close_side)
        self._window.open_side(panel)
        panel.setFocus()

    def show_conflicts(self) -> None:
        """Open the panel for resolving conflicts."""
        from app.desktop.changes import ConflictPanel

        panel = ConflictPanel(self._workspace, self._zone)
        panel.closed.connect(self._window.close_side)
        panel.opened.connect(self.inspect)
        self._window.open_side(panel)

    def show_warnings(self) -> None:
        """Open the warnings."""
        from app.desktop.warnings.panel import WarningPanel

        panel = WarningPanel(self._workspace, self._zone)
        panel.closed.connect(self._window.close_side)
        panel.opened.connect(self.inspect)
        panel.rewritten.connect(lambda key: self._scope.start(self._panes.rewriting.replace(key)))
        panel.reconnected.connect(
            lambda platform: self._scope.start(self._panes.connections.connect_platform(platform.value))
        )
        panel.went.connect(self._window.go)
        panel.service_visited.connect(lambda: self._scope.start(self._visit_service()))
        panel.told.connect(self._window.messages.tell)
        panel.pointed.connect(self._calendar.point_at)
        self._window.open_side(panel)
        panel.take_focus()

    def show_slots(self) -> None:
        """Open the weekly posting times."""
        from app.desktop.slots import SlotPanel

        panel = SlotPanel(self._workspace, self._zone)
        panel.closed.connect(self._window.close_side)
        panel.told.connect(self._window.messages.tell)
        self._window.open_side(panel)
        panel.setFocus()

    def show_platform_setup(self, platform: str = "") -> None:
        """Open the setup of the service's platforms, with one of them expanded."""
        from app.desktop.setup import SetupPanel

        panel = SetupPanel(self._workspace, platform)
        panel.closed.connect(self._window.close_side)
        panel.connect_wanted.connect(self._panes.connect_platform)
        panel.told.connect(self._window.messages.tell)
        self._window.open_side(panel)
        panel.setFocus()

    async def _visit_service(self) -> None:
        if page := await self._workspace.flows.integrations_page():
            open_page(page, service=self._workspace.base_url, is_secret=True)


_PAUSE_MS: Final = 20
"""Delay after a click, so that the selected card is painted first, in ms."""


class Peeking(QObject):
    """Keeps the side panel at what is selected in the calendar. The focus doesn't move.

    A clicked post is shown if the panel is empty or shows other posts. Several selected posts replace the
    panel of one: it doesn't close, so that no card moves while the user selects.

    Args:
        window: has the side panel.
        calendar: has the selection.
        inspect: opens the details of a post.
        show_selected: lists several posts.
    """

    def __init__(
        self,
        window: MainWindow,
        calendar: CalendarPane,
        inspect: Callable[[str], None],
        show_selected: Callable[[Iterable[str]], None],
    ) -> None:
        super().__init__(calendar)
        self._window, self._calendar = window, calendar
        self._inspect, self._show_selected = inspect, show_selected
        self._key = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._show)
        calendar.postClicked.connect(self._show_soon)
        calendar.postsSelected.connect(self._follow)

    @property
    def is_waiting(self) -> bool:
        """Whether a clicked post is about to be shown."""
        return self._pause.isActive()

    def _show_soon(self, key: str) -> None:
        self._key = key
        self._pause.start()

    def _follow(self, keys: frozenset[str]) -> None:
        if len(keys) > 1:
            self._pause.stop()
        if self._window.side is None:
            return
        from app.desktop.inspector import Inspector, SelectedPosts

        is_list = isinstance(self._window.side, SelectedPosts)
        if is_list and len(keys) == 1:
            self._show_soon(next(iter(keys)))
        elif is_list or (len(keys) > 1 and isinstance(self._window.side, Inspector)):
            self._show_selected(keys)

    def _show(self) -> None:
        from app.desktop.inspector import Inspector, SelectedPosts

        side = self._window.side
        is_list = isinstance(side, SelectedPosts)
        is_free = side is None or is_list or isinstance(side, Inspector)
        is_idle = self._calendar.mouse.state is State.IDLE
        # The list may be replaced during a drag: the new panel is as wide, so no card moves.
        if is_free and (is_idle or is_list) and self._calendar.isVisible():
            self._inspect(self._key)
