"""The main controller: builds the panes of one workspace in the window, and connects them.

The calendar comes first. The other panes are imported and built one by one after its first paint, or when
they're first opened.
"""

import asyncio
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer

from app.desktop.aio import TaskScope, report_to
from app.desktop.binding import import_in_thread
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.filters import CalendarState
from app.desktop.carried import Carried
from app.desktop.exchange.tables import Tables
from app.desktop.finishing.desk import FinishingDesk
from app.desktop.media.wording import underway
from app.desktop.shell.actions import Actions
from app.desktop.shell.finder import Finder
from app.desktop.shell.incoming import Incoming
from app.desktop.shell.rewriting import OnceMore, Rewriting
from app.desktop.shell.side_panels import Peeking, SidePanels
from app.desktop.shell.undoable import Undoable
from app.desktop.shell.window import MainWindow
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.editing.draft import ComposerDraft
from app.workspace.homes import Home, Homes
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from app.workspace.messages import MessageAction
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.analytics import AnalyticsPane
    from app.desktop.connections.pane import ConnectionsPane
    from app.desktop.drafts import DraftsPane
    from app.desktop.history import HistoryPane
    from app.desktop.links import Errand
    from app.desktop.media.pane import MediaPane
    from app.desktop.settings import SettingsPane
    from app.desktop.shell.errands import Errands
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
_FIRST_PAUSE_MS: Final = 300
_PAUSE_MS: Final = 30
"""Pause between building two panes, in ms, because user input takes precedence."""


class MainController:
    """Builds the panes, and handles changes of the workspace that no pane handles."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        home: Home,
        zone: ZoneInfo,
        visits: Visits | None = None,
        on_settings: Callable[["SettingsPane"], None] = lambda _pane: None,
        first: "FirstCalendar | None" = None,
        undoable: Undoable | None = None,
    ) -> None:
        """Furnish a window.

        Args:
            window: an empty one.
            workspace: the data of the panes.
            home: where the workspace belongs.
            zone: the time zone of days and times.
            visits: opened the workspace; it's notified when the proxy changes.
            on_settings: called with the settings once they're built, to connect those of other calendars.
            first: the calendar in its last state if it's already shown; the window continues with it.
            undoable: of the controller before, if this one rebuilds the panes of the same workspace.
        """
        self.window = window
        self.workspace = workspace
        self._home = home
        self._zone = zone
        self._visits = visits or Visits(Homes(window.data), Credentials(window.data))
        self._on_settings = on_settings
        self.is_closed = False
        self.unanswered: list[Errand] = []
        """Links that were still asked about when the calendar closed."""
        samples = None if workspace.accounts else workspace.samples
        grouped = window.preferences.groups_ideas
        self.calendar = first.pane if first else CalendarPane(workspace, zone, samples, groups_ideas=grouped)
        self.undoable = undoable or Undoable()
        self._scope = TaskScope(window, report_to(window.messages.tell))
        self.panels = SidePanels(self, zone, self._scope, runs_here=home.is_embedded)
        self.incoming = Incoming(window, workspace, zone, self.panels.compose, self._scope, self.undoable)
        self.rewriting = Rewriting(window, workspace, zone, self.incoming)
        self._once_more = OnceMore(window, workspace, zone)
        self._actions = Actions(self, self._once_more, self._scope)
        self.finishing = FinishingDesk(window, workspace, zone)
        self.tables = Tables(self.calendar, workspace, zone, self.calendar.model.all)
        self._connect_calendar()
        self.peeking = Peeking(window, self.calendar, self.panels.inspect, self.panels.show_selected)
        self.finder = Finder(self, zone)
        self._builder = QTimer(window, singleShot=True, interval=_FIRST_PAUSE_MS)
        self._builder.timeout.connect(self._build_another)
        self._furnish(first)

    def _furnish(self, first: "FirstCalendar | None") -> None:
        """Show the calendar, follow the workspace, and schedule building the other panes."""
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

    @property
    def is_busy(self) -> bool:
        """Whether something that the user asked for is being carried out."""
        return self._scope.is_busy

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
        pane.set_up_wanted.connect(self.panels.show_platform_setup)
        pane.samples_wanted.connect(self._show_samples)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("connections", pane)
        return pane

    @cached_property
    def drafts(self) -> "DraftsPane":
        from app.desktop.drafts import DraftsPane

        pane = DraftsPane(self.workspace, self._zone)
        pane.opened.connect(self.open_draft)
        pane.thrown_away.connect(lambda draft: self._scope.start(self.incoming.offer_back(draft)))
        pane.begun.connect(self._begin_post)
        self.window.add("drafts", pane)
        self._scope.start(self.panels.list_unfinished())
        return pane

    @cached_property
    def media(self) -> "MediaPane":
        from app.desktop.media.pane import MediaPane

        pane = MediaPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.scheduled.connect(
            lambda paths: self._scope.start(self.incoming.take(Carried(media=tuple(paths)), None))
        )
        pane.post_opened.connect(self.finder.open_post)
        self.window.add("media", pane)
        return pane

    @cached_property
    def analytics(self) -> "AnalyticsPane":
        from app.desktop.analytics import AnalyticsPane

        pane = AnalyticsPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.post_opened.connect(self.panels.inspect)
        pane.key_wanted.connect(self.ask_for_key)
        self.window.add("analytics", pane)
        return pane

    @cached_property
    def history(self) -> "HistoryPane":
        from app.desktop.history import HistoryPane

        pane = HistoryPane(self.workspace, self._zone)
        pane.told.connect(self.window.messages.tell)
        pane.post_opened.connect(self.panels.inspect)
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
        self.window.messages.stay_above(calendar.notice, calendar.selection_bar)
        calendar.refreshRequested.connect(lambda: start(self.workspace.refresh()))
        calendar.newPostRequested.connect(
            lambda at, is_chosen: (
                self.panels.compose(at) if is_chosen else self.panels.compose(suggested_at=at)
            )
        )
        calendar.slotChosen.connect(lambda at, keys: start(self._fill_slot(at, keys)))
        calendar.connectRequested.connect(lambda: self.window.go("connections"))
        calendar.keyRequested.connect(self.ask_for_key)
        calendar.postOpened.connect(self.panels.inspect)
        calendar.duplicateRequested.connect(lambda keys: start(self.rewriting.duplicate(keys)))
        calendar.dropped.connect(lambda found, at: start(self.incoming.take(found, at)))
        calendar.changesRequested.connect(self.panels.show_steps)
        calendar.warningsRequested.connect(self.panels.show_warnings)
        calendar.slotsRequested.connect(self.panels.show_slots)
        self.window.grouping_changed.connect(calendar.group_ideas)
        self.tables.told.connect(self.window.messages.tell)
        calendar.toolbar.table_import_asked.connect(self.tables.ask)
        calendar.toolbar.table_export_asked.connect(self.tables.ask_where_to_export)

    def _show_samples(self) -> None:
        self.window.go("calendar")
        self.calendar.show_samples()

    def _begin_post(self) -> None:
        self.window.go("calendar")
        self.panels.compose()

    def _keep_calendar(self, *, is_set_up: bool) -> None:
        """Restore the calendar's state, and store changes from now on."""
        kept, home_id = self.window.preferences, str(self._home.id)
        if not is_set_up:
            self.calendar.restore(CalendarState.read(kept.calendar_state(home_id)))
        self.calendar.stateChanged.connect(
            lambda: kept.keep_calendar_state(home_id, self.calendar.state().written())
        )

    def close(self, *, is_rebuilt: bool = False) -> None:
        """Stop listening; the widgets are destroyed with the window.

        The messages go too, because their buttons would act on the next calendar. ``is_rebuilt``: they stay,
        because another controller of the same calendar follows.
        """
        if "_errands" in vars(self):
            self.unanswered += self._errands.stop()
        self.window.dismiss_sheets()  # while everything that their buttons need is still there
        self._builder.stop()
        self._builder.deleteLater()
        self.is_closed = True
        self.finder.close()
        self.finishing.close()
        self._scope.close()
        self.window.clear_out()  # the composer may say what it leaves
        self.window.messages.set_handler(None)
        if not is_rebuilt:
            self.window.messages.clear()
        self._stop_listening()
        self._stop_messages()
        self._stop_uploads()
        self.window.activated.disconnect(self.workspace.set_active)
        self.window.rail.next_post.opened.disconnect(self._stop_next)

    def unfinished(self) -> list[str]:
        """Return what was asked for and ends with this calendar, a sentence each."""
        found = [self.panels.unfinished(), self.tables.unfinished()]
        if "settings" in vars(self):  # built when they're first shown
            found.append(self.settings.data.unfinished())
        return [one for one in found if one]

    def open_draft(self, draft_id: str) -> None:
        """Continue a draft; the composer's content becomes a draft."""
        self._scope.start(self.incoming.open_draft(draft_id))

    def write_post(self, text: str, at: int) -> None:
        """Start a post with a text at a time; the composer's content becomes a draft."""
        self._scope.start(self.incoming.take(Carried(text=text), at))

    def run_errands(self, errands: "Iterable[Errand]") -> None:
        """Open links and files handed over by the system."""
        for errand in errands:
            self._errands.run(errand)

    @cached_property
    def _errands(self) -> "Errands":
        from app.desktop.shell.errands import Errands

        parts = self.incoming, self.finder, self.panels.compose, self._scope
        return Errands(self.window, self.workspace, self._zone, *parts)

    def connect_platform(self, platform: str) -> None:
        """Open Connections and connect an account of a platform."""
        self.window.go("connections")
        self._scope.start(self.connections.connect_platform(platform))

    async def _fill_slot(self, at: int, accounts: tuple[str, ...]) -> None:
        """Open the composer at a posting time, for its accounts unless it has an unfinished post."""
        kept = await self.workspace.load_composer()
        if kept is None or kept.is_empty:
            self.workspace.save_composer(ComposerDraft("", accounts, zone=self._zone.key))
        self.panels.compose(at)

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
        if self.workspace.interruptions.may_have_ended(changes):
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
        self._actions.act(action)


async def _import_panels() -> None:
    """Import the panels that most users open first, so that they open without a delay."""
    await asyncio.sleep(_FIRST_PAUSE_MS / 1_000)
    # The inspector imports the composer.
    await import_in_thread("app.desktop.inspector", "app.desktop.exchange.import_sheet")
