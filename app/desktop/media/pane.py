"""The media pane: stored files, uploads and imports."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.commands import Command, CommandSet
from app.desktop.media.adding import Adding, DropGround
from app.desktop.media.arrangement import Arrangement
from app.desktop.media.columns import ColumnHead
from app.desktop.media.details import Details
from app.desktop.media.grid import MARGIN, MediaGrid
from app.desktop.media.model import FORMS, ORDERS, MediaModel
from app.desktop.media.operations import Operations
from app.desktop.media.queue import Queue
from app.desktop.media.toolbar import MediaToolbar
from app.desktop.theme import theme
from app.desktop.widgets import EmptyState, Skeleton, announce, order_tabs
from app.desktop.widgets.painting import insets
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr, trc
from app.workspace.changes import Changes
from app.workspace.media.library import Shown
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

_PAUSE_MS = 200
_NEWS_PAUSE_MS = 1_000
"""Several files that change at a time are asked for once."""
_ROOM_EVERY_MS = 60_000
_NOTHING = tr(
    "No files yet. Images and videos you add here or attach to a post stay available for later posts."
)
_NO_MATCH = tr("No files match your search.")
_GROUP = tr("Media")


@spoken_as(QAccessible.Role.Grouping)
class MediaPane(DropGround):
    """Grid and queue. Files can be dropped anywhere on it."""

    told = Signal(Message)
    scheduled = Signal(list)
    """The storage paths of files; a post is to be planned with each."""
    post_opened = Signal(str)

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__()
        self._workspace, self._zone = workspace, zone
        self._media = workspace.media
        self._scope = TaskScope(self, report_to(self.told.emit))
        self.model = MediaModel()
        self.toolbar = MediaToolbar()
        self.grid = MediaGrid(self.model, self._media.pictures)
        self.queue = Queue(self._media, report_to(self.told.emit))
        self.adding = Adding(self, self._media, report_to(self.told.emit))
        self.details = Details(workspace, zone)
        self.operations = Operations(self, workspace, report_to(self.told.emit))
        self.loading = Skeleton(4)
        self.empty = EmptyState("image", _NOTHING, tr("Add files"), kind="primary")
        self.no_match = EmptyState("search", _NO_MATCH, tr("Show all files"))
        self.failed = EmptyState("triangle-alert", "", tr("Try again"))
        self.head = ColumnHead()
        self._files = QWidget()
        self._stack = QStackedWidget()
        self.parts = Arrangement(self._stack, self.details, self.queue)
        self._chosen: list[str] = []
        self._why = ""
        """Why the list could not be brought up to date."""
        self._again, self._news, self._room = QTimer(self), QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()
        self._add_commands()
        self._order_tabs()
        self._scope.start(self._begin(), self._show_failed)

    def refresh(self) -> None:
        """Update the files and the used storage."""
        self._scope.start(self._load(), self._show_failed)
        self._scope.start(self._ask_again())
        self._ask_for_room()

    def show_file(self, path: str) -> None:
        """Select a file, clearing the search if it hides the file."""
        if self.model.row_of(path) < 0:
            self.toolbar.clear()
        self._choose_again([path])  # where the list is still to come, it is chosen then
        self._shown().setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Update the list."""
        super().showEvent(event)
        self._scope.start(self._bring_up_to_date())
        self._ask_for_room()
        self._room.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._room.stop()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the visible page."""
        del event
        self.entry().setFocus()

    def entry(self) -> QWidget:
        """Return the visible page: the files, or what shows instead of them."""
        return self._shown()

    async def _begin(self) -> None:
        """Restore the last view."""
        shown = await self._media.shown.load()
        if shown.order in ORDERS:
            with QSignalBlocker(self.toolbar.order):
                self.toolbar.set_order(shown.order)
            self.model.narrow(order=shown.order)
            self.head.show_order(shown.order)
        if shown.form in FORMS:
            self.toolbar.form.set_value(shown.form)
        await self._load()

    async def _load(self) -> None:
        items = await self._media.library.items()
        chosen, place = self._chosen, self.grid.verticalScrollBar().value()
        if self.model.show(items):
            self._choose_again(chosen)
            self.grid.scroll_back(place)
        self._show_what_there_is()

    async def _ask_again(self) -> None:
        """Check whether the service lists files, if it was never reached before."""
        if self._workspace.sync.last_synced is None:
            try:
                await self._workspace.refresh()
            except Problem:
                return  # the pane says why already
        await self._bring_up_to_date()

    async def _bring_up_to_date(self) -> None:
        """Ask the service for its files; known ones stay visible meanwhile."""
        try:
            await self._media.library.refresh()
        except Problem as problem:
            self._why = problem.text
        else:
            self._why = ""
            self.grid.thumbnails.forget_missing()
        self._doubt_nothing()

    def _doubt_nothing(self) -> None:
        """Update why the list is empty, which may have changed."""
        if self._stack.currentWidget() in (self.empty, self.failed):
            self._scope.start(self._load(), self._show_failed)

    def _show_what_there_is(self) -> None:
        every, shown = len(self.model.items), self.model.rowCount()
        self.toolbar.show_count(shown, every)
        self.toolbar.show_choices(any_=bool(every))
        page: QWidget = self._files if shown else self.no_match if every else self._nothing()
        self._turn_to(page)

    def _nothing(self) -> QWidget:
        """Return the page for an empty list: no files, or why they aren't known."""
        sync = self._workspace.sync
        why = self._why or (sync.trouble if sync.last_synced is None else "")
        self.failed.set_text(why or "")
        return self.failed if why else self.empty

    def _turn_to(self, page: QWidget) -> None:
        had_focus = self._shown().hasFocus()
        self._stack.setCurrentWidget(page)
        if had_focus:
            self._shown().setFocus()

    def _shown(self) -> QWidget:
        page = self._stack.currentWidget()
        return self.grid if page is self._files else page or self

    def _show_failed(self, problem: Problem) -> None:
        self.failed.set_text(problem.text)
        self._turn_to(self.failed)

    def _narrow(self) -> None:
        bar = self.toolbar
        chosen = self._chosen
        self.model.narrow(words=bar.search.text(), kind=bar.kinds.value(), order=bar.order_key())
        self._choose_again(chosen)
        self.grid.scrollTo(self.grid.currentIndex())
        self._show_what_there_is()
        announce(self, bar.count.text() if self.model.rowCount() else _NO_MATCH)

    def _reshape(self) -> None:
        """Switch between grid and list, and remember it."""
        self.grid.show_as(self.toolbar.form.value())
        self.head.setVisible(self.grid.is_list)
        self._keep_shown()

    def _keep_shown(self) -> None:
        shown = Shown(self.toolbar.form.value(), self.toolbar.order_key())
        self._scope.start(self._media.shown.keep(shown))

    def _reorder(self) -> None:
        self.head.show_order(self.toolbar.order_key())
        self._keep_shown()

    def _choose_again(self, chosen: list[str]) -> None:
        """Keep the selection while its files are shown; otherwise select the first file."""
        first = self.model.item(0)
        shown = [path for path in chosen if self.model.row_of(path) >= 0]
        wanted = shown or ([first.path] if first else [])
        if {item.path for item in self.grid.chosen_items()} != set(wanted):
            self._is_resetting = True
            self.grid.choose(wanted)
            self._is_resetting = False
        self._chosen = chosen
        self._show_details()

    def _note_chosen(self) -> None:
        if not self._is_resetting:
            self._chosen = [item.path for item in self.grid.chosen_items()]
            self._show_details()

    def _show_details(self) -> None:
        """Show the current file's details; hide them if several are selected."""
        item = self.grid.current_item()
        self.parts.show_details(shown=item is not None)
        if item is not None:
            self.details.show_item(item)
        queue, rows = self.queue, self.queue.rows()
        if self.parts.is_below:
            order_tabs(self._stack, *self.details.sections(), queue.limit)
        else:
            order_tabs(*(rows[-1].controls() if rows else [queue.fold]), *self.details.sections())

    def _order_tabs(self) -> None:
        """Set the tab order to the visual order; widgets created later would be last."""
        queue, rows = self.queue, [control for row in self.queue.rows() for control in row.controls()]
        below = [queue.limit, queue.fold, *rows]
        details = self.details.sections()
        parts = [*details, *below] if self.parts.is_below else [*below, *details]
        order_tabs(self.toolbar, self._stack, *parts)

    def _ask_for_room(self) -> None:
        self._scope.start(self._show_room())

    async def _show_room(self) -> None:
        try:
            storage = await self._media.library.storage()
        except Problem:
            self.queue.set_room(None, None)
            return
        self.queue.set_room(storage.used_bytes, storage.cap_bytes)

    def _changed(self, changes: Changes) -> None:
        if changes.catalogues or changes.posts or changes.removed or changes.reset:
            self._soon(self._again)
        if changes.files and self.isVisible():
            self._soon(self._news)
        if changes.sync:
            self._doubt_nothing()

    @staticmethod
    def _soon(timer: QTimer) -> None:
        """Schedule an update; a steady stream of changes can't postpone it."""
        if not timer.isActive():
            timer.start()

    def _catch_up(self) -> None:
        self.queue.refresh()  # the row of a file that was deleted goes, too
        self._scope.start(self._load(), self._show_failed)
        if self.isVisible():
            self._ask_for_room()

    def _connect(self) -> None:
        self._is_resetting = False
        self.model.layoutAboutToBeChanged.connect(lambda: setattr(self, "_is_resetting", True))
        self.model.layoutChanged.connect(lambda: setattr(self, "_is_resetting", False))
        self.toolbar.narrowed.connect(self._narrow)
        self.toolbar.reshaped.connect(self._reshape)
        self.toolbar.order.currentIndexChanged.connect(lambda _row: self._reorder())
        self.head.sorted_by.connect(self.toolbar.set_order)
        self.toolbar.add_button.clicked.connect(self.adding.ask_for_files)
        self.toolbar.import_button.clicked.connect(self.adding.ask_for_address)
        self.empty.acted.connect(self.adding.ask_for_files)
        self.no_match.acted.connect(self.toolbar.clear)
        self.failed.acted.connect(self.refresh)
        self.adding.told.connect(self.told)
        self.dropped.connect(self.adding.take)
        self.queue.shown.connect(self.show_file)
        self.queue.emptied.connect(lambda: self._shown().setFocus())
        self.queue.failed.connect(self._ask_for_room)
        self.queue.reordered.connect(self._order_tabs)
        self.parts.turned.connect(self._order_tabs)
        self.grid.chosen.connect(self._note_chosen)
        self._connect_operations()
        for timer, pause, act in (
            (self._again, _PAUSE_MS, self._catch_up),
            (self._news, _NEWS_PAUSE_MS, lambda: self._scope.start(self._bring_up_to_date())),
            (self._room, _ROOM_EVERY_MS, self._ask_for_room),
        ):
            timer.setInterval(pause)
            timer.timeout.connect(act)
        self._again.setSingleShot(True)
        self._news.setSingleShot(True)
        self.destroyed.connect(self._workspace.listen(self._changed))

    def _connect_operations(self) -> None:
        do, grid = self.operations, self.grid
        grid.opened.connect(lambda: do.preview(grid))
        grid.removed.connect(lambda: do.remove(grid.chosen_items()))
        self.details.enlarged.connect(lambda _item: do.preview(grid))
        self.details.removed.connect(lambda item: do.remove([item]))
        self.details.saved.connect(do.save)
        self.details.scheduled.connect(lambda item: do.schedule([item]))
        grid.menu_asked.connect(lambda place: do.show_menu(grid, place))
        self.details.described.connect(do.describe)
        self.details.post_opened.connect(self.post_opened)
        do.told.connect(self.told)
        do.scheduled.connect(self.scheduled)

    def _add_commands(self) -> None:
        add = self.adding
        CommandSet(self, "media").add(
            Command(
                tr("Add files…"),
                _GROUP,
                add.ask_for_files,
                keys=("Ctrl+U",),
                icon="plus",
                words=trc("search words", "upload"),
            ),
            Command(
                tr("Limit the speed of uploads…"),
                _GROUP,
                self.queue.limit.choose,
                icon="gauge",
                words=trc("search words", "bandwidth throttle upload slow"),
            ),
            Command(
                tr("Import from URL…"),
                _GROUP,
                add.ask_for_address,
                keys=("Ctrl+L",),
                icon="link",
                words=trc("search words", "address fetch web"),
            ),
        )

    def _lay_out_files(self) -> None:
        """Lay out the files; only the list has a header."""
        column = QVBoxLayout(self._files)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.grid, 1)
        self.head.make_room(self.grid.verticalScrollBar().sizeHint().width() + 1)
        self.head.show_order(self.toolbar.order_key())
        self.head.hide()

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab goes on to the first control
        self.setAccessibleName(tr("Media"))
        self._lay_out_files()
        for page in (self.loading, self._files, self.empty, self.no_match, self.failed):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        # Pictures start below the title: the space around a tile is in the gutter.
        column.setContentsMargins(insets(gutter - MARGIN, 12, gutter, 16))
        column.setSpacing(8)
        column.addWidget(self.toolbar)
        column.addWidget(self.parts, 1)
