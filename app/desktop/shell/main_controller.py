"""The main controller: builds the panes of one workspace in the window, and connects them.

The calendar comes first. The other panes are imported and built one by one after its first paint, or when
they're first opened.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer

from app.desktop.aio import TaskScope, report_to
from app.desktop.background import RESTART, START_AT_LOGIN
from app.desktop.binding import import_in_thread
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.filters import CalendarState
from app.desktop.cancelling import UNDO_STEP
from app.desktop.carried import Carried
from app.desktop.exchange.tables import Tables
from app.desktop.finishing.desk import FinishingDesk
from app.desktop.media.wording import underway
from app.desktop.opening import open_page
from app.desktop.shell.finder import Finder
from app.desktop.shell.first_post import first_post_message
from app.desktop.shell.incoming import FORGET, PUT_BACK, Incoming
from app.desktop.shell.peeking import Peeking
from app.desktop.shell.rewriting import PLAN_AGAIN, PUBLISH_AGAIN, TAKE_BACK, UNPUBLISH, OnceMore, Rewriting
from app.desktop.shell.window import MainWindow
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.drafts.salvage import SHOW_DRAFTS
from app.workspace.editing.draft import ComposerDraft
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from app.workspace.messages import Message, MessageAction
from app.workspace.notices import notice
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.analytics import AnalyticsPane
    from app.desktop.composer import ComposerPanel
    from app.desktop.connections.pane import ConnectionsPane
    from app.desktop.drafts import DraftsPane
    from app.desktop.history import HistoryPane
    from app.desktop.links import Errand
    from app.desktop.media.pane import MediaPane
    from app.desktop.settings import SettingsPane
    from app.desktop.shell.first_calendar import FirstCalendar
    from app.desktop.usage import UsagePane
    from app.desktop.webhooks import WebhooksPane

_LATER: Final = (
    "settings",
    "connections",
    "drafts",
    "media",
    "history",
    "usage",
    "webhooks",
    "analytics",
)
"""The panes that are built after the calendar, in this order."""
_PANES: Final = {SHOW_DRAFTS: "drafts", notice.SHOW_MEDIA: "media"}
"""By the verbs of actions that go to a pane."""
_A_SAMPLE: Final = tr("That's a sample. Connect an account to plan posts of your own.")
_CONNECT: Final = MessageAction(tr("Connect an account"), notice.SHOW_CONNECTIONS)
_FIRST_PAUSE_MS: Final = 300
_PAUSE_MS: Final = 30
"""Pause between two panes in ms, because user input takes precedence."""


class MainController:
    """Builds the panes, and handles changes of the workspace that belong to no pane."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        home: Home,
        zone: ZoneInfo,
        visits: Visits | None = None,
        on_settings: Callable[["SettingsPane"], None] = lambda _pane: None,
        first: "FirstCalendar | None" = None,
    ) -> None:
        """Furnish a window.

        Args:
            window: an empty one.
            workspace: what the panes show.
            home: where the workspace belongs.
            zone: what days and times are shown in.
            visits: opened the workspace, and notify it of another proxy.
            on_settings: called with the settings once they're built, to connect those of other calendars.
            first: the calendar in its last state if it's already shown; the window continues with it.
        """
        self.window = window
        self.workspace = workspace
        self._home = home
        self._zone = zone
        self._visits = visits or Visits(Homes(window.data), Credentials(window.data))
        self._on_settings = on_settings
        self._is_closed = False
        self._composer: ComposerPanel | None = None
        samples = None if workspace.accounts else workspace.samples
        self.calendar = first.pane if first is not None else CalendarPane(workspace, zone, samples)
        self._scope = TaskScope(window, report_to(window.messages.tell))
        self._incoming = Incoming(window, workspace, zone, self.compose, self._scope)
        self._rewriting = Rewriting(window, workspace, zone, self._incoming)
        self._once_more = OnceMore(window, workspace, zone)
        self.finishing = FinishingDesk(window, workspace, zone)
        self.tables = Tables(self.calendar, workspace, zone, self.calendar.model.all)
        self._connect_calendar()
        self.peeking = Peeking(window, self.calendar, self.inspect)
        self.finder = Finder(self, zone)
        self._builder = QTimer(window, singleShot=True, interval=_FIRST_PAUSE_MS)
        self._builder.timeout.connect(self._build_another)
        self._furnish(first)

    def _furnish(self, first: "FirstCalendar | None") -> None:
        """Show the calendar, follow the workspace, and have the other panes built soon."""
        self.window.furnish(lambda place: getattr(self, place), self._home.name, self._place)
        if first is None:
            self.window.add("calendar", self.calendar)
        self.window.messages.set_handler(self.act)
        self._follow_workspace()
        self._keep_calendar(is_set_up=first is not None)
        self._show_attention()
        self._count_drafts()
        if first is not None:
            first.hand_over(self.workspace)
        else:
            self.window.go("calendar" if self.workspace.accounts else "connections")
        self._builder.start()
        self._scope.start(_import_panels())

    @property
    def _place(self) -> str:
        home = self._home
        return tr("On this computer") if home.is_embedded else home.base_url.removeprefix("https://")

    def _build_another(self) -> None:
        if (name := next((name for name in _LATER if name not in self.__dict__), None)) is not None:
            getattr(self, name)
            self._builder.start(_PAUSE_MS)
        else:
            self.finder.prepare()

    def complete(self) -> None:
        """Build all missing panes, for callers that need the commands of all."""
        for name in _LATER:
            getattr(self, name)

    def is_built(self, name: str) -> bool:
        """Whether a pane is built."""
        return name in self.__dict__

    @cached_property
    def connections(self) -> "ConnectionsPane":
        from app.desktop.connections.pane import ConnectionsPane

        pane = ConnectionsPane(self.workspace)
        pane.told.connect(self.window.messages.tell)
        pane.set_up_wanted.connect(self.show_platform_setup)
        pane.samples_wanted.connect(self._show_samples)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("connections", pane)
        return pane

    @cached_property
    def drafts(self) -> "DraftsPane":
        from app.desktop.drafts import DraftsPane

        pane = DraftsPane(self.workspace, self._zone)
        pane.opened.connect(self.open_draft)
        pane.thrown_away.connect(lambda draft: self._scope.start(self._incoming.offer_back(draft)))
        pane.begun.connect(self._begin_post)
        self.window.add("drafts", pane)
        self._scope.start(self._list_unfinished())
        return pane

    @cached_property
    def media(self) -> "MediaPane":
        from app.desktop.media.pane import MediaPane

        pane = MediaPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.scheduled.connect(
            lambda paths: self._scope.start(self._incoming.take(Carried(media=tuple(paths)), None))
        )
        pane.post_opened.connect(self.finder.open_post)
        self.window.add("media", pane)
        return pane

    @cached_property
    def analytics(self) -> "AnalyticsPane":
        from app.desktop.analytics import AnalyticsPane

        pane = AnalyticsPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.post_opened.connect(self.inspect)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("analytics", pane)
        return pane

    @cached_property
    def history(self) -> "HistoryPane":
        from app.desktop.history import HistoryPane

        pane = HistoryPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.post_opened.connect(self.inspect)
        pane.post_revealed.connect(self.finder.open_post)
        pane.begun.connect(self._begin_post)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("history", pane)
        return pane

    @cached_property
    def usage(self) -> "UsagePane":
        from app.desktop.usage import UsagePane

        pane = UsagePane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("usage", pane)
        return pane

    @cached_property
    def webhooks(self) -> "WebhooksPane":
        from app.desktop.webhooks import WebhooksPane

        pane = WebhooksPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("webhooks", pane)
        return pane

    @cached_property
    def settings(self) -> "SettingsPane":
        from app.desktop.settings import SettingsPane

        pane = SettingsPane(self.window, self.workspace, self._home, self._visits)
        pane.told.connect(self.window.messages.tell)
        pane.calendars.renamed.connect(lambda it: self.window.rail.header.set_home(it.name, self._place))
        self._on_settings(pane)
        self.window.add("settings", pane)
        return pane

    def _follow_workspace(self) -> None:
        workspace, window = self.workspace, self.window
        window.status.set_workspace(workspace)
        window.rail.next_post.show_posts_of(workspace, self._zone)
        window.rail.next_post.load_pictures(workspace.media.picture)
        self._stop_next = window.rail.next_post.opened.connect(self.finder.open_post)
        self._stop_listening = workspace.listen(self._changed)
        self._stop_messages = workspace.listen_messages(window.messages.tell)
        self._stop_uploads = workspace.media.listen(lambda _upload: self._show_uploads())
        self._show_uploads()
        self._scope.start(self._once_more.offer())
        window.activated.connect(workspace.set_active)

    def compose(self, at: object = None, suggested_at: object = None) -> "ComposerPanel":
        """Open the composer at a time in ms since 1970 UTC, or without one.

        A suggested time is only for a new post: an unfinished one keeps its own.
        """
        from app.desktop.composer import ComposerPanel

        chosen, suggested = (one if isinstance(one, int) else None for one in (at, suggested_at))
        panel = ComposerPanel(self.workspace, self._zone, chosen, suggested_at=suggested)
        panel.closed.connect(self._close_composer)
        panel.destroyed.connect(self._show_unfinished)
        panel.targetChanged.connect(self.calendar.mark_day)
        panel.publishing.connect(self._rewriting.offer_back)
        panel.planned.connect(self._tell_of_first_post)
        panel.told.connect(self.window.messages.tell)
        self._composer = panel
        self.window.open_side(panel)
        if self.is_built("drafts"):
            self.drafts.show_unfinished(None)
        panel.go_to_text()
        return panel

    def _show_unfinished(self) -> None:
        """List the unfinished post among the drafts while it isn't in the composer."""
        if not self._is_closed and not self._is_composing and self.is_built("drafts"):
            self._scope.start(self._list_unfinished())

    async def _list_unfinished(self) -> None:
        kept = await self.workspace.load_composer()
        if not self._is_composing:
            self.drafts.show_unfinished(kept)

    @property
    def _is_composing(self) -> bool:
        return self._composer is not None and self.window.side is self._composer

    def _close_composer(self) -> None:
        self.window.close_side()
        self.calendar.mark_day(None)
        self.calendar.setFocus()

    def _tell_of_first_post(self, keys: Sequence[str]) -> None:
        if told := first_post_message(self.workspace, keys, self._zone, runs_here=self._home.is_embedded):
            self.window.messages.tell(told)

    def inspect(self, key: str) -> None:
        """Open a post in the side panel."""
        self.calendar.mark_day(None)
        from app.desktop.inspector import Inspector

        if isinstance(self.window.side, Inspector) and self.window.side.key == key:
            return
        if key in self.workspace.samples.posts:
            self.window.messages.tell(Message("info", _A_SAMPLE, action=_CONNECT, about="samples"))
            return
        panel = Inspector(self.workspace, self._zone, key)
        panel.closed.connect(self.window.close_side)
        panel.told.connect(self.window.messages.tell)
        panel.writeAgain.connect(lambda key: self._scope.start(self._rewriting.write_again(key)))
        panel.editRequested.connect(lambda key: self._scope.start(self._rewriting.replace(key)))
        panel.went.connect(self.window.go)
        panel.other_wanted.connect(self._inspect_instead)
        panel.finishing_wanted.connect(self.finishing.hand_over)
        panel.service_visited.connect(lambda: self._scope.start(self._visit_service()))
        self.window.open_side(panel)
        panel.announce_opening()

    def _inspect_instead(self, key: str) -> None:
        """Open another post from the side panel, which keeps the focus."""
        self.inspect(key)
        if self.window.side is not None:
            self.window.side.setFocus()

    def show_steps(self) -> None:
        """Open the undo history."""
        from app.desktop.changes import StepPanel

        panel = StepPanel(self.workspace, self._zone)
        panel.closed.connect(self.window.close_side)
        self.window.open_side(panel)
        panel.setFocus()

    def show_conflicts(self) -> None:
        """Open the panel for resolving conflicts."""
        from app.desktop.changes import ConflictPanel

        panel = ConflictPanel(self.workspace, self._zone)
        panel.closed.connect(self.window.close_side)
        panel.opened.connect(self.inspect)
        self.window.open_side(panel)

    def show_warnings(self) -> None:
        """Open the warnings."""
        from app.desktop.warnings.panel import WarningPanel

        panel = WarningPanel(self.workspace, self._zone)
        panel.closed.connect(self.window.close_side)
        panel.opened.connect(self.inspect)
        panel.rewritten.connect(lambda key: self._scope.start(self._rewriting.replace(key)))
        panel.reconnected.connect(
            lambda platform: self._scope.start(self.connections.connect_platform(platform.value))
        )
        panel.went.connect(self.window.go)
        panel.service_visited.connect(lambda: self._scope.start(self._visit_service()))
        panel.told.connect(self.window.messages.tell)
        panel.pointed.connect(self.calendar.grid.view.selection.choose)
        self.window.open_side(panel)
        panel.take_focus()

    def show_slots(self) -> None:
        """Open the weekly posting times."""
        from app.desktop.slots import SlotPanel

        panel = SlotPanel(self.workspace, self._zone)
        panel.closed.connect(self.window.close_side)
        panel.told.connect(self.window.messages.tell)
        self.window.open_side(panel)
        panel.setFocus()

    def show_platform_setup(self, platform: str = "") -> None:
        """Open the setup of the service's platforms, with one of them expanded."""
        from app.desktop.setup import SetupPanel

        panel = SetupPanel(self.workspace, platform)
        panel.closed.connect(self.window.close_side)
        panel.connect_wanted.connect(self.connect_platform)
        panel.told.connect(self.window.messages.tell)
        self.window.open_side(panel)
        panel.setFocus()

    def ask_for_key(self) -> None:
        """Ask for another API key for this calendar's service."""
        self.window.go("settings")
        self.settings.show_section("calendars")
        self.settings.calendars.ask_for_key(self._home)

    def connect_in_turn(self, platforms: Iterable[str]) -> None:
        """Connect one platform after the other through the browser, then show the calendar."""
        self._scope.start(self._connect_each(tuple(platforms)))

    def _connect_calendar(self) -> None:
        calendar, start = self.calendar, self._scope.start
        calendar.told.connect(self.window.messages.tell)
        calendar.refreshRequested.connect(lambda: start(self.workspace.refresh()))
        calendar.newPostRequested.connect(
            lambda at, is_chosen: self.compose(at) if is_chosen else self.compose(suggested_at=at)
        )
        calendar.slotChosen.connect(lambda at, keys: start(self._fill_slot(at, keys)))
        calendar.connectRequested.connect(lambda: self.window.go("connections"))
        calendar.postOpened.connect(self.inspect)
        calendar.dropped.connect(lambda found, at: start(self._incoming.take(found, at)))
        calendar.changesRequested.connect(self.show_steps)
        calendar.warningsRequested.connect(self.show_warnings)
        calendar.slotsRequested.connect(self.show_slots)
        self.tables.told.connect(self.window.messages.tell)
        calendar.toolbar.table_import_asked.connect(self.tables.ask)
        calendar.toolbar.table_export_asked.connect(self.tables.ask_where_to_export)

    def _show_samples(self) -> None:
        self.window.go("calendar")
        self.calendar.show_samples()

    def _begin_post(self) -> None:
        self.window.go("calendar")
        self.compose()

    def _keep_calendar(self, *, is_set_up: bool) -> None:
        """Restore the calendar's state, and store changes from now on."""
        kept, home_id = self.window.preferences, str(self._home.id)
        if not is_set_up:
            self.calendar.restore(CalendarState.read(kept.calendar_state(home_id)))
        self.calendar.stateChanged.connect(
            lambda: kept.keep_calendar_state(home_id, self.calendar.state().written())
        )

    def close(self) -> None:
        """Stop listening; the widgets are destroyed with the window."""
        self._builder.stop()
        self._builder.deleteLater()
        self._is_closed = True
        self.finder.close()
        self.finishing.close()
        self._scope.close()
        self.window.clear_out()
        self._stop_listening()
        self._stop_messages()
        self._stop_uploads()
        self.window.activated.disconnect(self.workspace.set_active)
        self.window.rail.next_post.opened.disconnect(self._stop_next)

    def open_draft(self, draft_id: str) -> None:
        """Continue a draft; the composer's content becomes a draft."""
        self._scope.start(self._incoming.open_draft(draft_id))

    def write_post(self, text: str, at: int) -> None:
        """Start a post with a text at a time; the composer's content becomes a draft."""
        self._scope.start(self._incoming.take(Carried(text=text), at))

    def run_errands(self, errands: "Iterable[Errand]") -> None:
        """Open links and files handed over by the system."""
        from app.desktop.shell.errands import Errands

        parts = self._incoming, self.finder, self.compose, self._scope
        doer = Errands(self.window, self.workspace, self._zone, *parts)
        for errand in errands:
            doer.run(errand)

    def connect_platform(self, platform: str) -> None:
        """Open Connections and connect an account of a platform."""
        self.window.go("connections")
        self._scope.start(self.connections.connect_platform(platform))

    async def _fill_slot(self, at: int, accounts: tuple[str, ...]) -> None:
        """Open the composer at a posting time, for its accounts unless it has an unfinished post."""
        kept = await self.workspace.load_composer()
        if kept is None or kept.is_empty:
            self.workspace.save_composer(ComposerDraft("", accounts, zone=self._zone.key))
        self.compose(at)

    async def _visit_service(self) -> None:
        if page := await self.workspace.flows.integrations_page():
            open_page(page, service=self.workspace.base_url, is_secret=True)

    async def _connect_each(self, platforms: tuple[str, ...]) -> None:
        self.window.go("connections")
        for platform in platforms:
            if await self.connections.connect_platform(platform) is None:
                return
        self.window.go("calendar")

    def _changed(self, changes: Changes) -> None:
        if changes.accounts or changes.posts or changes.removed or changes.reset:
            self._show_attention()
            self.window.rail.next_post.refresh()
        if changes.drafts or changes.reset:
            self._count_drafts()
        if changes.accounts or changes.reset:
            self._scope.start(self._once_more.offer())
        self.window.status.refresh()

    def _show_uploads(self) -> None:
        self.window.status.set_uploads(underway(self.workspace.media.uploads.all()))

    def _show_attention(self) -> None:
        ended = sum(not account.is_available for account in self.workspace.accounts.values())
        told = trn("{n} account needs attention", "{n} accounts need attention", ended)
        self.window.rail.set_count("connections", ended, told, is_urgent=True)

    def _count_drafts(self) -> None:
        count = len(self.workspace.drafts.all())
        self.window.rail.set_count("drafts", count, trn("{n} draft", "{n} drafts", count))

    def act(self, action: MessageAction) -> None:
        """Carry out the button of a message or a notification."""
        if self.finishing.act(action):
            return
        if action.verb == "show_post" and self.workspace.posts.get(action.subject):
            self.window.go("calendar")
            self.inspect(action.subject)
        elif action.verb == FORGET:
            self._scope.start(self._incoming.forget(action.subject.split()))
        elif action.verb == PUBLISH_AGAIN:
            self._scope.start(self._once_more.publish(action.subject.split()))
        elif action.verb == PLAN_AGAIN:
            self._scope.start(self._once_more.plan(action.subject.split()))
        elif action.verb == TAKE_BACK:
            self._once_more.take_back(action.subject.split())
        elif action.verb == UNPUBLISH:
            self._scope.start(self._rewriting.unpublish(action.subject))
        elif action.verb == PUT_BACK:
            self._scope.start(self._incoming.put_back(action.subject))
        elif action.verb in _PANES:
            self.window.go(_PANES[action.verb])
        elif action.verb == UNDO_STEP:
            self.workspace.undo_step(int(action.subject))
        elif action.verb == "compare":
            self.window.go("calendar")
            self.show_conflicts()
        elif action.verb == "show_slots":
            self.show_slots()
        elif action.verb == notice.SHOW_POSTS:
            self.window.go("calendar")
            self.calendar.reveal(action.subject.split())
        elif action.verb in (notice.RECONNECT, notice.SHOW_CONNECTIONS):
            self.window.go("connections")
            self.connections.connect_again(action.subject)
        elif action.verb == notice.SHOW_FILE:
            self.finder.open_file(action.subject)
        elif action.verb == START_AT_LOGIN:
            self.settings.background.start_at_login()
        elif action.verb == RESTART:
            self.window.restart_wanted.emit()


async def _import_panels() -> None:
    """Import what most users open first, so that it opens without a delay."""
    await asyncio.sleep(_FIRST_PAUSE_MS / 1_000)
    # The inspector imports the composer.
    await import_in_thread("app.desktop.inspector", "app.desktop.exchange.import_sheet")
