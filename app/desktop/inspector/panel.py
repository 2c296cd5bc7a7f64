"""The inspector: a preview of a post, what keeps it from being published, and what can be done."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform, PostStatus
from app.desktop.aio import TaskScope
from app.desktop.cancelling import cancel
from app.desktop.commands import Command, CommandSet
from app.desktop.connections.connecting import Connecting
from app.desktop.finishing.words import finished_message
from app.desktop.history.details import Figures
from app.desktop.inspector.by_hand import ByHand
from app.desktop.inspector.facts import status
from app.desktop.inspector.heading import Head, TimeBlock
from app.desktop.inspector.in_inbox import InInbox
from app.desktop.inspector.moving import Moving
from app.desktop.inspector.obstacles import Obstacles
from app.desktop.inspector.outcome import Outcome
from app.desktop.inspector.platform_preview import PlatformPreview
from app.desktop.inspector.together import Together
from app.desktop.network_options import options_lines
from app.desktop.opening import open_page
from app.desktop.theme import theme
from app.desktop.theme.theme import WIDEST_SIDE, grow
from app.desktop.tiktok import choice_words
from app.desktop.warnings.fixes import Fix, Fixes, Way
from app.desktop.warnings.wording import Concern, Wording
from app.desktop.widgets import (
    Divider,
    Label,
    Menu,
    MessageStrip,
    Skeleton,
    announce,
    ends_of,
    keep_room_for_bar,
    primary,
    quiet,
    scrolled,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.desktop.widgets.screen_reader import spoken_as
from app.desktop.words import date_short, day_and_time, platform_name
from app.language import tr, trc
from app.workspace.analytics.counts import Counts
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.schedule import in_zone
from app.workspace.messages import Message, Problem
from app.workspace.posts.planned import PlannedPost, SyncState
from app.workspace.posts.reading import PostDetail
from app.workspace.posts.refusal import named
from app.workspace.time.wall import DAY_MS, WallClock
from app.workspace.warnings.warning import PlanWarning, PlanWarnings
from app.workspace.workspace import Workspace

_BEHIND_MS = 250
_TICK_MS = 20_000
"""How often the countdown is updated, in ms."""
_GONE = tr("This post no longer exists.")
_UNSENT = tr("Your last change hasn't reached the service yet.")


@spoken_as(QAccessible.Role.ComplementaryContent)
class Inspector(QWidget):
    """Shows the post with this key, and follows it.

    Args:
        workspace: where the post is.
        zone: the calendar's zone.
        key: of the post.
        now: the clock.
    """

    closed = Signal()
    writeAgain = Signal(str)  # noqa: N815  Qt's spelling, as the calendar's signals
    """The key of a post to be copied."""
    told = Signal(object)
    """A Message for the user."""
    editRequested = Signal(str)  # noqa: N815  Qt's spelling, as the calendar's signals
    """The key of a post to be replaced by another."""
    went = Signal(str)
    """The name of a pane to go to."""
    other_wanted = Signal(str)
    """The key of another post to be shown instead."""
    finishing_wanted = Signal(str)
    """The key of a post to publish by hand."""
    service_visited = Signal()
    """The service's page is to be opened in a browser."""

    def __init__(
        self,
        workspace: Workspace,
        zone: ZoneInfo,
        key: str,
        *,
        now: Clock = wall_clock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._zone, self._key, self._now = workspace, zone, key, now
        post = workspace.posts.get(key)
        account = workspace.accounts.get(post.account_key) if post else None
        platform, shown = (post.platform.value, post.ruled_by.value) if post else ("", "")
        self._detail: PostDetail | None = None
        self._has_loaded, self._page = False, ""
        self.head, self.time = Head(shown, account), TimeBlock(zone)
        self.preview = PlatformPreview(workspace.media, platform, account)
        self.outcome, self.obstacles, self.by_hand = Outcome(zone), Obstacles(self._fixes), ByHand()
        self.note, self.pin = Label("", "card", "text2", wrap=True), Label("", "card", "text2", wrap=True)
        self.alt_text = Label("", "small", "text3", wrap=True)
        self.figures, self.together, self.in_inbox = Figures(), Together(workspace, zone), InInbox()
        self.moving = Moving(self, workspace, zone, key, now)
        self.form = self.moving.form
        self.duplicate_button = quiet(tr("Duplicate"), "copy")
        self.move_button = secondary(tr("Move…"), "calendar-clock")
        self.edit_button = primary(trc("a button for one post", "Edit"), "pencil")
        self.look_button = primary("", "external-link")
        self._skeleton = Skeleton(4)
        self._scope = TaskScope(self, self._report)
        self._connecting = Connecting(self, workspace)
        # Changes are notified before they're written to the file that the details are read from.
        self._again = QTimer(self, singleShot=True, interval=_BEHIND_MS)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._dress()
        self._lay_out()
        self._connect()
        self._show()
        self._tick.start()
        self._scope.start(self._load())

    @property
    def key(self) -> str:
        """The key of the post."""
        return self._key

    @property
    def has_loaded(self) -> bool:
        """Whether the whole post is shown, with what the service said about it."""
        return self._has_loaded

    def announce_opening(self) -> None:
        """Announce that the panel is open, and how to get to it."""
        if (post := self._workspace.posts.get(self._key)) is not None:
            when = day_and_time(in_zone(post.at, self._zone))
            told = tr("Panel open: {post}, {when}. Press F6 to go to it.", post=named(post), when=when)
            announce(self, told)

    def open(self, key: str) -> None:
        """Do nothing: the post is already shown."""

    def rewrite(self, key: str) -> None:
        """Ask for a post to be replaced."""
        self.editRequested.emit(key)

    def reconnect(self, platform: ConnectionPlatform) -> None:
        """Connect an account of a platform again."""
        self._scope.start(self._connecting.connect(platform))

    def go(self, pane: str) -> None:
        """Ask for a pane to be shown."""
        self.went.emit(pane)

    def visit_service(self) -> None:
        """Ask for the service's page."""
        self.service_visited.emit()

    def put_aside(self, warnings: Iterable[PlanWarning]) -> None:
        """Dismiss these warnings."""
        self._scope.start(self._workspace.put_aside(warnings))

    async def _load(self) -> None:
        stored = await self._workspace.stored_detail(self._key)
        known = self._detail.attempts if self._detail else None
        self._detail = replace(stored, attempts=known)
        self._skeleton.hide()
        self.preview.show_detail(stored, self._date(stored.post))
        self.preview.show()
        self._show_options(stored)
        self._show()
        self._detail = detail = await self._workspace.detail(self._key)
        self._has_loaded = True
        self._show_options(detail)
        self._show()
        if detail.posted_at is not None:
            samples = await self._workspace.analytics.samples_of_post(self._key)
            last = max(samples, key=lambda one: (one.metric_date, one.created_at), default=None)
            self.figures.show_counts(
                Counts(last.views, last.likes, last.comments, last.shares) if last else Counts()
            )

    def _show_options(self, detail: PostDetail) -> None:
        board = detail.board_name or detail.board_id
        seen_by = choice_words(detail.tiktok) if detail.tiktok else ""
        parts = (tr("Board: {board}", board=board) if board else "", seen_by)
        options = options_lines(detail.options) if detail.options else []
        self.pin.setText("\n".join(filter(None, (*parts, *options))))
        self.pin.setVisible(bool(self.pin.text()))

    def _look_again(self) -> None:
        if self._workspace.posts.get(self._key) is not None:
            self._scope.start(self._load())

    def _show(self) -> None:
        """Show what is known of the post so far."""
        workspace = self._workspace
        post = workspace.posts.get(self._key)
        if post is None:
            self._show_gone()
            return
        detail = self._detail
        self.head.show_status(*status(post, by_user=detail is not None and detail.is_finished_by_user))
        self._show_time()
        self._say(_UNSENT if post.sync is not SyncState.SYNCED else "")
        self.preview.show_date(self._date(post))
        self._show_obstacles(post)
        account = workspace.accounts.get(post.account_key)
        attempts = (detail.attempts if detail else None) or ()
        self.outcome.show_for(
            post,
            account,
            attempts,
            readable=detail is not None and bool(detail.text),
            can_report=workspace.takes_outcomes and not (detail and detail.service_id is None),
        )
        self.by_hand.show_for(post, can_finish=workspace.finishing.can_finish(post))
        self.in_inbox.show_for(post, detail.text if detail else "")
        self.together.show_for(post)
        self._show_actions(post)

    def _show_time(self) -> None:
        if (post := self._workspace.posts.get(self._key)) is not None:
            posted_at = self._detail.posted_at if self._detail else None
            self.time.show_time(post.at, self._now(), posted_at)
            self.time.left.setVisible(post.status is not PostStatus.CANCELLED)  # nothing happens then

    def _date(self, post: PlannedPost) -> str:
        return date_short(in_zone(post.at, self._zone))

    def _say(self, text: str) -> None:
        self.note.set_tone("warn" if text == _UNSENT else "text2")
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _show_obstacles(self, post: PlannedPost) -> None:
        workspace = self._workspace
        is_ahead = post.status is PostStatus.SCHEDULED and post.at > self._now() and not post.may_be_live
        found = workspace.warnings.about(self._key)
        concerns = self._wording().concerns(PlanWarnings.of(found)) if is_ahead else []
        # Nothing was checked before everything was listed once, and unsent changes aren't published.
        is_known = workspace.sync.last_synced is not None and post.sync is SyncState.SYNCED
        is_ready = is_ahead and is_known
        self.obstacles.show_concerns(concerns, is_ready=is_ready)

    def _wording(self) -> Wording:
        return Wording(self._workspace.posts, self._workspace.accounts, self._zone)

    def _fixes(self, concern: Concern) -> list[Fix]:
        fixes = Fixes(self._workspace, self, WallClock(self._zone), self._wording(), self._now())
        return [fix for fix in fixes.of(concern) if fix.way is not Way.OPEN]

    def _show_actions(self, post: PlannedPost) -> None:
        cancelled, detail = post.status is PostStatus.CANCELLED, self._detail
        can_move = self.moving.is_possible
        self._page = detail.page if detail else ""
        self.move_button.setText(tr("Schedule again…") if cancelled else tr("Move…"))
        self.move_button.set_kind("primary" if cancelled else "secondary")
        self.move_button.setVisible(can_move and not post.waits_for_user)
        has_main = post.waits_for_user or self.obstacles.has_main
        self.edit_button.set_kind("secondary" if has_main else "primary")
        self.edit_button.setVisible(can_move and not cancelled and detail is not None)
        self.duplicate_button.setVisible(detail is not None)
        platform = platform_name(post.platform.value)
        account = self._workspace.accounts.get(post.account_key)
        is_practice = account is not None and account.practice
        self.look_button.setText(
            tr("Open on practice {platform}", platform=platform)
            if is_practice
            else tr("Open on {platform}", platform=platform)
        )
        self.look_button.setVisible(bool(self._page))
        for button in (self.move_button, self.look_button):
            button.updateGeometry()
        if not can_move and self.form.isVisible():
            self.form.hide()

    def _show_gone(self) -> None:
        self._skeleton.hide()
        self.head.show_status(tr("Gone"), "text2")
        self._say(_GONE)
        acts = self.form, self.edit_button, self.move_button, self.look_button, self.duplicate_button
        for widget in (
            *acts,
            self.outcome,
            self.by_hand,
            self.in_inbox,
            self.obstacles,
            self.obstacles.ready,
            self.together,
            self.time,
            self.head.more,
        ):
            widget.hide()

    def menu(self) -> Menu:
        """Return the less common actions: copies, cancelling, and IDs."""
        menu, detail = Menu(self.head.more), self._detail
        post = self._workspace.posts.get(self._key)
        if post is None or detail is None:
            return menu
        if detail.text:
            menu.add(tr("Copy text"), lambda: _copy(detail.text), icon="copy")
        if self._page:
            menu.add(tr("Copy link"), lambda: _copy(self._page), icon="link")
        if self._workspace.refusal(self._key, self._now() + DAY_MS) is None:
            menu.add(trc("a button for one post", "Cancel post"), self._cancel, icon="ban")
        if self._workspace.finishing.can_switch(post):
            words = tr("Let Kalends publish it") if post.by_hand else tr("Publish by hand")
            switch = partial(self._switch, by_hand=not post.by_hand)
            menu.add(words, lambda: self._scope.start(switch()), icon="bell")
        menu.addSeparator()
        made = day_and_time(detail.created_at.astimezone(self._zone))
        menu.add(tr("Created {when}", when=made), lambda: None, enabled=False)
        for words, value in (
            (tr("Copy post ID"), detail.service_id),
            (tr("Copy batch ID"), detail.batch_id),
            (tr("Copy file path"), detail.media_storage_path),
        ):
            if value:
                menu.add(words, partial(_copy, value), icon="hash")
        return menu

    def _open_menu(self) -> None:
        self.menu().open_below(self.head.more)

    def _ask_to_move(self, *, together: bool = False) -> None:
        if (post := self._workspace.posts.get(self._key)) is None:
            return
        self._foot.hide()
        self.moving.ask(post, self.together.keys if together else ())

    def _end_move(self) -> None:
        self._foot.show()
        self.move_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _cancel(self) -> None:
        if told := cancel(self._workspace, [self._key], self._zone):
            self.told.emit(told)

    def _close(self) -> None:
        """Close the form, else the panel."""
        if self.form.isVisible():
            self.form.hide()
            self._end_move()
        else:
            self.closed.emit()

    def _changed(self, changes: Changes) -> None:
        if changes.reset or self._key in changes.posts or self._key in changes.removed:
            self._show()
            self._again.start()
        elif changes.accounts or changes.warnings or changes.posts or changes.sync:
            self._show()

    async def _finish(self) -> None:
        """Report that the user has published the post by hand."""
        await self._workspace.finishing.finish(self._key)
        self.told.emit(finished_message(self._key))
        self.head.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _switch(self, *, by_hand: bool) -> None:
        """Let the user publish the post by hand, or Kalends again."""
        await self._workspace.finishing.switch(self._key, by_hand=by_hand)
        said = (
            tr("You publish this post by hand. Kalends reminds you.")
            if by_hand
            else tr("Kalends publishes this post.")
        )
        self.told.emit(Message("info", said))

    def _connect_again(self) -> None:
        post = self._workspace.posts.get(self._key)
        account = self._workspace.accounts.get(post.account_key) if post else None
        if account is not None:
            self.reconnect(account.platform)

    async def _settle(self, *, is_live: bool) -> None:
        """Report what the user found on the platform; a post that isn't there is written again."""
        if self._workspace.takes_outcomes:
            await self._workspace.report_outcome(self._key, is_live=is_live)
        if is_live:
            announce(self, tr("Marked as published."))
            self.head.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.writeAgain.emit(self._key)

    def _report(self, problem: Problem) -> None:
        self._skeleton.hide()
        if problem.kind == "not_found":
            if self._workspace.posts.get(self._key) is not None:
                self._again.start()
            return
        self._body.insertWidget(0, MessageStrip("error", problem.text, problem.details, closable=False))

    def _copy_text(self) -> None:
        if self._detail is not None:
            _copy(self._detail.text)
            announce(self, tr("Text copied."))

    def _show_alt_text(self, words: str) -> None:
        self.alt_text.setText(tr("Alt text: {text}", text=words) if words else "")
        self.alt_text.setVisible(bool(words))

    def _connect(self) -> None:
        self._again.timeout.connect(self._look_again)
        self._tick.timeout.connect(self._show_time)
        self.moving.told.connect(self.told)
        self.form.closed.connect(self._end_move)
        self.together.move_wanted.connect(lambda: self._ask_to_move(together=True))
        self.together.opened.connect(self.other_wanted)
        self.move_button.clicked.connect(self._ask_to_move)
        self.duplicate_button.clicked.connect(lambda: self.writeAgain.emit(self._key))
        self.edit_button.clicked.connect(lambda: self.editRequested.emit(self._key))
        self.look_button.clicked.connect(lambda: open_page(self._page))
        self.head.close_button.clicked.connect(self.closed)
        self.head.more.clicked.connect(self._open_menu)
        self.outcome.reconnect_wanted.connect(self._connect_again)
        self.outcome.found.connect(lambda is_live: self._scope.start(self._settle(is_live=is_live)))
        self.outcome.rewrite_wanted.connect(lambda: self.writeAgain.emit(self._key))
        self.by_hand.open_wanted.connect(lambda: self.finishing_wanted.emit(self._key))
        self.by_hand.finished.connect(lambda: self._scope.start(self._finish()))
        self.by_hand.later_wanted.connect(self._ask_to_move)
        self.by_hand.skipped.connect(self._cancel)
        self.in_inbox.copy_wanted.connect(self._copy_text)
        self.in_inbox.code_wanted.connect(lambda: self._scope.start(self.in_inbox.draw_code()))
        self.preview.cover.described.connect(self._show_alt_text)
        self.destroyed.connect(self._workspace.listen(self._changed))
        close = Command(tr("Close panel"), tr("Side panel"), self._close, keys=("Esc",), listed=False)
        CommandSet(self, within=True).add(close)
        self.setFocusProxy(self.head.close_button)

    def _dress(self) -> None:
        grow(self, QWidget.setFixedWidth, theme.current().metrics.composer, WIDEST_SIDE)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Post"))

    def _lay_out(self) -> None:
        holder, gutter = QWidget(), theme.current().metrics.gutter
        self._body = QVBoxLayout(holder)
        self._body.setContentsMargins(gutter, 6, gutter, gutter)
        self._body.setSpacing(12)
        parts = (
            self.time,
            self.outcome,
            self.by_hand,
            self.in_inbox,
            self.note,
            self.obstacles,
            self._skeleton,
            self.preview,
            self.alt_text,
            self.pin,
            self.figures,
            self.obstacles.ready,
            self.together,
        )
        for part in parts:
            self._body.addWidget(part)
        self._body.addStretch(1)
        for hidden in (self.preview, self.alt_text, self.pin, self.note):
            hidden.hide()
        self._foot = self._make_foot()
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(self.head)
        area = scrolled(holder)
        keep_room_for_bar(area, self._body)
        column.addWidget(area, 1)
        column.addWidget(self.form)
        column.addWidget(self._foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(Divider(Qt.Orientation.Vertical))
        row.addLayout(column, 1)

    def _make_foot(self) -> QWidget:
        foot, gutter = QWidget(), theme.current().metrics.gutter
        ways = self.move_button, self.edit_button, self.look_button
        row = ends_of(self.duplicate_button, *ways, always=True)
        row.setContentsMargins(insets(gutter - 10, 12, gutter, 12))
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Divider())
        column.addWidget(row)
        return foot


def _copy(words: str) -> None:
    QGuiApplication.clipboard().setText(words)
