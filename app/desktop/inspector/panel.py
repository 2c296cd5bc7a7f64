"""The inspector: everything about one post, and what can truly be done with it."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostStatus
from app.desktop.aio import TaskScope
from app.desktop.commands import Command, CommandSet
from app.desktop.composer.when import WhenField
from app.desktop.connections.connecting import Connecting
from app.desktop.history.wording import numbers
from app.desktop.inspector.facts import attempt_words, status
from app.desktop.inspector.next_steps import NextSteps
from app.desktop.inspector.origin import Origin
from app.desktop.inspector.reason import Reason
from app.desktop.media.cover import ShownFile
from app.desktop.scheduling_again import schedule_again
from app.desktop.theme import theme
from app.desktop.theme.growing import WIDEST_SIDE, grow
from app.desktop.tiktok import choice_words
from app.desktop.warnings.wording import Wording
from app.desktop.widgets import (
    Avatar,
    Divider,
    ElidedLabel,
    Face,
    IconButton,
    Label,
    MessageStrip,
    PracticeTag,
    Skeleton,
    Tag,
    danger,
    primary,
    quiet,
    scrolled,
    secondary,
)
from app.desktop.words import clock, day, handle, platform_name, utc_offset
from app.language import tr, trc
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.schedule import in_zone, suggested
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.reading import PostDetail
from app.workspace.time.wall import DAY_MS
from app.workspace.workspace import Workspace

_BEHIND_MS = 250
_GONE = tr("This post no longer exists.")


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
    """The key of a post that shall be written again."""
    told = Signal(object)
    """A Message for the user."""
    editRequested = Signal(str)  # noqa: N815  Qt's spelling, as the calendar's signals
    """The key of a post that shall be replaced by another."""

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
        self._dress()
        self.text, self.time = Label("", "text", wrap=True), Label("", "text", "text2", wrap=True)
        self.status, self.reason, self.warning = Tag(""), Reason(), Reason()
        self.attempts_title = Label(tr("Attempts"), "card", "text2", weight=QFont.Weight.Medium)
        self.attempts, self.origin = Label("", "small", "text3", wrap=True), Origin()
        self.file, self.numbers = ShownFile(workspace.media), Label("", "card", wrap=True)
        self.next_steps = NextSteps()
        self.refusal = Label("", "card", "bad", wrap=True)
        self._let_select(self.text, self.attempts)
        post = workspace.posts.get(key)
        self.when = WhenField(zone, post.at if post else now(), tr("Move to"), now=now, with_zone=False)
        self._make_buttons()
        self.title, self.pin = Label("", "strong", wrap=True), Label("", "card", "text2", wrap=True)
        self._skeleton = Skeleton(4)
        self._detail: PostDetail | None = None
        self._edited = False
        self._scope = TaskScope(self, self._report)
        self._connecting = Connecting(self, workspace)
        # Changes are notified before they're written to the file that the details are read from.
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_BEHIND_MS)
        self._again.timeout.connect(self._look_again)
        self._lay_out(post)
        self._connect()
        self._show()
        self._scope.start(self._load())

    def _make_buttons(self) -> None:
        self.move_button = primary(tr("Move"))
        self.cancel_button = danger(trc("a button for one post", "Cancel post"))
        self.copy_button = quiet(tr("Copy text"), "copy")
        self.duplicate_button = quiet(tr("Duplicate"), "plus")
        self.edit_button = secondary(trc("a button for one post", "Edit"), "pencil")

    @property
    def key(self) -> str:
        """The key of the post."""
        return self._key

    async def _load(self) -> None:
        detail = await self._workspace.detail(self._key)
        self._detail = detail
        self._skeleton.hide()
        self.text.setText(detail.text)
        self.text.show()
        self.copy_button.setEnabled(bool(detail.text))
        self._show_pin(detail)
        self.origin.show_detail(detail, self._zone)
        self.file.show_path(detail.media_storage_path)
        self._show()
        if detail.posted_at is not None:
            self.numbers.setText(numbers(await self._workspace.analytics.samples_of_post(self._key)))
            self.numbers.setVisible(bool(self.numbers.text()))

    def _show_pin(self, detail: PostDetail) -> None:
        self.title.setText(detail.title or "")
        self.title.setVisible(bool(detail.title))
        named = detail.board_name or detail.board_id
        board = tr("Board: {board}", board=named) if named else ""
        seen_by = choice_words(detail.tiktok) if detail.tiktok else ""
        self.pin.setText("\n".join(part for part in (board, detail.link, seen_by) if part))
        self.pin.setVisible(bool(self.pin.text()))

    def _look_again(self) -> None:
        if self._workspace.posts.get(self._key) is not None:
            self._scope.start(self._load())

    def _show(self) -> None:
        """Show what is known of the post now."""
        post = self._workspace.posts.get(self._key)
        if post is None:
            self._show_gone()
            return
        stands = status(post)
        self.status.set_text(stands.word)
        self.status.set_tone(stands.tone)
        self.reason.say(stands.text, stands.tone)
        self._show_warning()
        self.time.setText(self._time_words(post))
        if not self._edited:
            self.when.set_at(self._proposal(post))
        self._show_attempts(stands.text)
        self._show_actions(post)

    def _show_warning(self) -> None:
        """Says why the post will fail, or what to check."""
        workspace = self._workspace
        found = workspace.warnings.about(self._key)
        wording = Wording(workspace.posts, workspace.accounts, self._zone)
        fails = any(one.kind.fails for one in found)
        self.warning.say(wording.about(found), "bad" if fails else "warn", "triangle-alert")

    def _show_attempts(self, said: str) -> None:
        attempts = (self._detail.attempts if self._detail else None) or ()
        lines = [attempt_words(one, one.started_at.astimezone(self._zone), said) for one in attempts]
        self.attempts.setText("\n".join(lines))
        for label in (self.attempts_title, self.attempts):
            label.setVisible(bool(lines))

    def _show_actions(self, post: PlannedPost) -> None:
        cancelled = post.status is PostStatus.CANCELLED
        later = self._now() + DAY_MS
        why_not = self._workspace.refusal(self._key, later, again=cancelled)
        self._move_group.setVisible(why_not is None)
        self.move_button.setText(tr("Schedule again") if cancelled else tr("Move"))
        self.move_button.updateGeometry()
        self.cancel_button.setVisible(why_not is None and not cancelled)
        account, detail = self._workspace.accounts.get(post.account_key), self._detail
        self.edit_button.setVisible(why_not is None and not cancelled and detail is not None)
        self.duplicate_button.setVisible(detail is not None)
        readable, page = (bool(detail.text), detail.page) if detail else (False, "")
        self.next_steps.show_for(post, account, readable=readable, page=page)
        self._show_refusal()

    def _proposal(self, post: PlannedPost) -> int:
        """The time to offer: the post's own, or for a cancelled one of the past, one ahead."""
        if post.status is PostStatus.CANCELLED and post.at <= self._now():
            return suggested(self._now(), self._zone)
        return post.at

    def _show_refusal(self) -> None:
        at = self.when.at()
        cancelled = self._is_cancelled()
        is_asked = at is not None and self._edited
        refused = self._workspace.refusal(self._key, at or 0, again=cancelled) if is_asked else None
        self.refusal.setText(refused or "")
        self.refusal.setVisible(bool(refused) and not self.when.problem())
        self.move_button.setEnabled(self._edited or cancelled)

    def _is_cancelled(self) -> bool:
        post = self._workspace.posts.get(self._key)
        return post is not None and post.status is PostStatus.CANCELLED

    def _show_gone(self) -> None:
        self._skeleton.hide()
        self.status.set_text(tr("Gone"))
        self.reason.say(_GONE, "neutral")
        acts = self._move_group, self.cancel_button, self.edit_button, self.next_steps
        for widget in (*acts, self.warning):
            widget.hide()

    def _time_words(self, post: PlannedPost) -> str:
        moment = in_zone(post.at, self._zone)
        detail = self._detail
        words = f"{day(moment)} {moment.year}, {clock(moment)} ({self._zone.key}, {utc_offset(moment)})"
        if detail is not None and detail.posted_at is not None:
            posted = detail.posted_at.astimezone(self._zone)
            published = tr("Published {day}, {time}", day=day(posted), time=f"{posted:%H:%M:%S}")
            words += f"\n{published}"
        return words

    def _move(self) -> None:
        at = self.when.at()
        if at is None or (self.when.problem()):
            self.when.focus_problem()
            return
        cancelled = self._is_cancelled()
        if refused := self._workspace.refusal(self._key, at, again=cancelled):
            self.refusal.setText(refused)
            self.refusal.show()
            return
        self._edited = False
        if not cancelled:
            self._workspace.move({self._key: at})
        elif told := schedule_again(self._workspace, {self._key: at}, self._zone):
            self.told.emit(told)

    def _cancel(self) -> None:
        self._edited = False
        self._workspace.cancel([self._key])

    def _copy(self) -> None:
        if self._detail is not None:
            QGuiApplication.clipboard().setText(self._detail.text)
            self.copy_button.setText(tr("Copied"))

    def _time_edited(self) -> None:
        self._edited = True
        self._show_refusal()

    def _changed(self, changes: Changes) -> None:
        if changes.reset or self._key in changes.posts or self._key in changes.removed:
            self._show()
            self._again.start()
        elif changes.accounts or changes.warnings:
            self._show()

    def _connect_again(self) -> None:
        post = self._workspace.posts.get(self._key)
        account = self._workspace.accounts.get(post.account_key) if post else None
        if account is not None:
            self._scope.start(self._connecting.connect(account.platform))

    def _report(self, problem: Problem) -> None:
        self._skeleton.hide()
        if problem.kind == "not_found":
            if self._workspace.posts.get(self._key) is not None:
                self._again.start()
            return
        self._body.insertWidget(0, MessageStrip("error", problem.text, problem.details, closable=False))

    def _connect(self) -> None:
        self.when.changed.connect(self._time_edited)
        self.move_button.clicked.connect(self._move)
        self.cancel_button.clicked.connect(self._cancel)
        self.copy_button.clicked.connect(self._copy)
        self.duplicate_button.clicked.connect(lambda: self.writeAgain.emit(self._key))
        self.edit_button.clicked.connect(lambda: self.editRequested.emit(self._key))
        self.close_button.clicked.connect(self.closed)
        self.next_steps.connect_button.clicked.connect(self._connect_again)
        self.next_steps.write_button.clicked.connect(lambda: self.writeAgain.emit(self._key))
        self.destroyed.connect(self._workspace.listen(self._changed))
        close = Command(tr("Close panel"), tr("Side panel"), self.closed.emit, keys=("Esc",), listed=False)
        CommandSet(self, within=True).add(close)
        self.setFocusProxy(self.close_button)

    def _dress(self) -> None:
        grow(self, QWidget.setFixedWidth, theme.current().metrics.composer, WIDEST_SIDE)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Post"))

    @staticmethod
    def _let_select(*labels: Label) -> None:
        flags = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        for label in labels:
            label.setTextInteractionFlags(flags)

    def _lay_out(self, post: PlannedPost | None) -> None:
        self.close_button = IconButton("x", tr("Close"), size="small")
        holder = QWidget()
        self._lay_out_body(holder)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(self._head(post))
        column.addWidget(Divider())
        column.addWidget(scrolled(holder), 1)
        column.addWidget(Divider())
        column.addLayout(self._foot())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(Divider(Qt.Orientation.Vertical))
        row.addLayout(column, 1)

    def _lay_out_body(self, holder: QWidget) -> None:
        gutter = theme.current().metrics.gutter
        self._lay_out_move()
        self._body = QVBoxLayout(holder)
        self._body.setContentsMargins(gutter, 16, gutter, gutter)
        self._body.setSpacing(12)
        self.text.hide()
        attempts = QVBoxLayout()
        attempts.setSpacing(2)
        for label in (self.attempts_title, self.attempts):
            attempts.addWidget(label)
        for hidden in (self.title, self.pin, self.numbers):
            hidden.hide()
        told = self.reason, self.warning, self.next_steps
        for widget in (
            *told,
            self._skeleton,
            self.title,
            self.text,
            self.file,
            self.pin,
            self.time,
            self.numbers,
        ):
            self._body.addWidget(widget)
        self._body.addLayout(attempts)
        self._body.addWidget(self._move_group)
        self._body.addWidget(self.origin)
        self._body.addStretch(1)

    def _lay_out_move(self) -> None:
        self._move_group = QWidget()
        group = QVBoxLayout(self._move_group)
        group.setContentsMargins(0, 0, 0, 0)
        group.setSpacing(8)
        group.addWidget(Divider(inner=True))
        group.addSpacing(6)
        group.addWidget(self.when)
        group.addWidget(self.refusal)
        group.addWidget(self.move_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _foot(self) -> QHBoxLayout:
        gutter = theme.current().metrics.gutter
        foot = QHBoxLayout()
        foot.setContentsMargins(gutter - 10, 12, gutter, 12)
        foot.setSpacing(6)
        foot.addWidget(self.copy_button)
        foot.addWidget(self.duplicate_button)
        foot.addStretch(1)
        foot.addWidget(self.edit_button)
        foot.addWidget(self.cancel_button)
        return foot

    def _head(self, post: PlannedPost | None) -> QHBoxLayout:
        gutter = theme.current().metrics.gutter
        account = self._workspace.accounts.get(post.account_key) if post else None
        platform = post.platform.value if post else ""
        name = account.name if account else tr("An account that is no longer connected")
        words, line = QVBoxLayout(), QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(ElidedLabel(name, "heading"))
        if account is not None and account.practice:
            line.addWidget(PracticeTag())
        line.addStretch(1)
        words.setSpacing(1)
        words.addLayout(line)
        parts = (handle(account.handle, platform) if account else "", platform_name(platform))
        words.addWidget(ElidedLabel(" · ".join(part for part in parts if part), "card", "text3"))
        head = QHBoxLayout()
        head.setContentsMargins(gutter, 14, gutter - 6, 12)
        head.setSpacing(10)
        head.addWidget(Avatar(Face(name, platform, account.color_index if account else None), 36))
        head.addLayout(words, 1)
        head.addWidget(self.status)
        head.addWidget(self.close_button)
        return head
