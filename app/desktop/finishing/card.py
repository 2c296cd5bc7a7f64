"""The card: a small always-on-top window that shows due posts to the user, one after the other."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.desktop.aio import TaskScope
from app.desktop.finishing.clipboard import BorrowedClipboard
from app.desktop.finishing.post_content import PostContent
from app.desktop.finishing.waiting_list import WaitingList
from app.desktop.finishing.words import waiting_words
from app.desktop.inspector.move_form import MoveForm
from app.desktop.opening import open_page
from app.desktop.theme import icons, theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow
from app.desktop.widgets import (
    Button,
    Divider,
    ElidedLabel,
    Field,
    IconLabel,
    Label,
    LineEdit,
    Menu,
    MessageStrip,
    announce,
    clear,
    primary,
    quiet,
    scrolled,
    secondary,
)
from app.desktop.words import clock, day_and_time, handle, when
from app.language import tr
from app.platforms.cards import CARDS, by_hand_key, own_name
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.schedule import in_zone
from app.workspace.messages import MessageKind, Problem
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import DAY_MS, MINUTE_MS, WallClock, to_day
from app.workspace.web_pages import web_page
from app.workspace.workspace import Workspace

_WIDTH: Final = 420
_GUTTER: Final = 16
_EDGE: Final = 24
"""Distance from the edges of the screen, in px."""
_UNDO_MS: Final = 8_000
"""How long Undo is offered, in ms."""


def composer_page(platform: str, text: str) -> str:
    """Return the platform's page for writing a post, with its text unless the address gets too long."""
    page = CARDS[by_hand_key(platform)].pages.compose
    return web_page(page.replace("{}", quote(text, safe=""))) or page.replace("{}", "")


_CLICKS: Final = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)


class FinishingCard(QWidget):
    """Closing it loses nothing: the posts keep waiting. It's only deleted with its owner.

    Args:
        workspace: where the posts are.
        zone: the calendar's zone.
        now: the clock.
        undo_ms: how long Undo is offered, in ms.
    """

    def __init__(
        self, workspace: Workspace, zone: ZoneInfo, *, now: Clock = wall_clock, undo_ms: int = _UNDO_MS
    ) -> None:
        super().__init__(None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self._workspace, self._zone, self._now = workspace, zone, now
        self._key = ""
        self._clipboard = BorrowedClipboard()
        self._scope = TaskScope(self, self._report)
        self._undo: Callable[[], object] = lambda: None
        self._is_placed = False
        self._body, self._foot, self._divider = QWidget(), QWidget(), Divider()
        self._area, self._strips = scrolled(self._body), QVBoxLayout()
        self._column, self._inner = QVBoxLayout(self), QVBoxLayout(self._body)
        self.list = WaitingList(workspace, zone, self._due_words)
        self.icon, self.account = IconLabel("bell", "text2", 20), ElidedLabel("", "heading")
        self.due = Label("", "card", "text2", wrap=True)
        self.content = PostContent(workspace, self._clipboard, self._report)
        self.open_button = primary("", "external-link")
        self.address = LineEdit()
        self.field = Field(tr("Address of the post (optional)"), self.address)
        self.form = MoveForm(zone, now(), self._refusal, now, inset=_GUTTER)
        self.skip_button = quiet(tr("Skip"))
        self.later_button = secondary(tr("Later"), "clock")
        self.done_button = secondary(tr("Done"), "check")
        self.empty = Label(tr("No posts are waiting for you."), "text", "text2", wrap=True)
        self._main = self.open_button
        self._strip: MessageStrip | None = None
        self._undo_timer = QTimer(self, singleShot=True, interval=undo_ms)
        self._resize = QTimer(self, singleShot=True, interval=0)
        self._came = QTimer(self, singleShot=True, interval=QApplication.doubleClickInterval())
        """Runs while a double click that was meant for the post before may still reach this one."""
        self._dress()
        self._lay_out()
        self._connect()
        self.refresh()

    @property
    def key(self) -> str:
        """The key of the current post; "" for none."""
        return self._key

    @property
    def strip(self) -> MessageStrip | None:
        """The current message."""
        return self._strip

    def present(self, key: str = "", *, is_asked: bool) -> None:
        """Show the card, with this post if it's waiting. It only takes the focus if ``is_asked`` for."""
        if key and key in self.list.listed():
            self.list.choose(key)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, not is_asked)
        was_visible = self.isVisible()
        self.show()
        if not self._is_placed:
            self._place()
        if is_asked:
            self.raise_()
            self.activateWindow()
            self._focus_first()
        elif not was_visible:
            announce(self, self.windowTitle())

    def refresh(self) -> None:
        """Update the list of waiting posts."""
        waiting = self._workspace.finishing.waiting()
        self.list.show_posts(waiting, self._key)
        keys = [post.key for post in waiting]
        if self._key not in keys:
            if self._key:
                self._came.start()
            self._show_post(keys[0] if keys else "")
        else:
            self._show_facts()
        self.setWindowTitle(waiting_words(len(waiting)) or tr("Publish by hand"))

    async def open_composer(self) -> None:
        """Copy the text to the clipboard, and open the platform's composer in the browser. Raises Problem."""
        post = self._post()
        if post is not None and not self.content.is_loaded:
            await self.content.load_texts(post.key)
        if post is None or post.key != self._key:
            return
        self._clipboard.put_text(self.content.words)
        if open_page(composer_page(post.platform, self.content.words)):
            self._mark_main(self.done_button)
            announce(self, tr("Text copied. Paste it if the page is empty."))
        else:
            self._say("warning", tr("No browser opened. The text is on the clipboard."))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Restore the clipboard."""
        self._clipboard.give_back()
        self._drop_strip()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the form on Esc, or else the card."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.form.isVisible():
            self.form.hide()
            self._end_form()
        else:
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ignore clicks on the buttons that end a post right after another one came below the pointer."""
        return (event.type() in _CLICKS and self._came.isActive()) or super().eventFilter(watched, event)

    def _post(self) -> PlannedPost | None:
        return self._workspace.posts.get(self._key)

    def _row_chosen(self, row: int) -> None:
        if row >= 0 and (key := self.list.current_key()) != self._key:
            self._show_post(key)

    def _show_post(self, key: str) -> None:
        """Show another post; "" for none."""
        self._clipboard.give_back()
        self._key = key
        self.address.clear()
        self.field.set_error("")
        self.form.hide()
        self._foot.setVisible(bool(key))
        self._divider.setVisible(bool(key))
        self._mark_main(self.open_button)
        self.content.clear(key)
        with QSignalBlocker(self.list):
            if key:
                self.list.choose(key)
        self.empty.setVisible(not key)
        self._area.setVisible(bool(key))
        self._resize.start()
        self._show_facts()
        if key:
            self.content.load()

    def _show_facts(self) -> None:
        post = self._post()
        if post is None:
            return
        account = self._workspace.accounts.get(post.account_key)
        name = own_name(post.platform)
        self.icon.set_icon(
            platform_icon(post.platform),
            theme.current().tokens.account(account.color_index) if account else None,
        )
        self.icon.setAccessibleName(name)
        who = handle(account.handle, post.platform) or account.name if account else ""
        self.account.setText(f"{name} · {who}" if who else name)
        self.due.setText(self._due_words(post))
        self.open_button.setText(tr("Open {platform}", platform=name))
        self.open_button.updateGeometry()
        self.content.show_for(post)
        self.done_button.setEnabled(self._workspace.finishing.can_finish(post))
        self._resize.start()

    def _due_words(self, post: PlannedPost) -> str:
        moment, today = in_zone(post.at, self._zone), in_zone(self._now(), self._zone).date()
        return tr("Due {time}", time=when(moment, today))

    def _finish(self) -> None:
        if self._key and self.done_button.isEnabled():
            self.done_button.setEnabled(False)
            self._scope.start(self._finish_post(self._key))

    async def _finish_post(self, key: str) -> None:
        had_focus = self._has_focus
        try:
            await self._workspace.finishing.finish(key, self.address.text())
        except Problem as problem:
            self._show_facts()
            if problem.kind != "invalid":
                raise
            self.field.set_error(problem.text)
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, problem.text, urgent=True)
            return
        self._clipboard.give_back()
        self._offer_undo(
            tr("Marked as published."), lambda: self._scope.start(self._take_back(key)), had_focus=had_focus
        )

    async def _take_back(self, key: str) -> None:
        await self._workspace.finishing.take_back(key)
        self.refresh()
        if key in self.list.listed():
            self.list.choose(key)
        self._focus_first()

    def _skip(self) -> None:
        key, had_focus = self._key, self._has_focus
        self._clipboard.give_back()
        self._workspace.cancel([key])
        self._offer_undo_of_step(tr("Skipped. This post won't be published."), had_focus=had_focus)

    def _later(self, key: str, at: int) -> None:
        if key != self._key:
            self._say("info", tr("This post isn't waiting any more."))  # it was finished elsewhere
            return
        had_focus = self._has_focus
        self._clipboard.give_back()
        self._workspace.move({key: at})
        told = tr("You'll be reminded again on {when}.", when=day_and_time(in_zone(at, self._zone)))
        self._offer_undo_of_step(told, had_focus=had_focus)

    @property
    def _has_focus(self) -> bool:
        return self.isActiveWindow()

    def later_menu(self) -> Menu:
        """Return a menu of other times."""
        menu, key, post = Menu(self.later_button), self._key, self._post()
        menu.add(tr("In 15 minutes"), lambda: self._later(key, self._now() + 15 * MINUTE_MS))
        menu.add(tr("In 1 hour"), lambda: self._later(key, self._now() + 60 * MINUTE_MS))
        if post is not None:
            wall = WallClock(self._zone)
            tomorrow = to_day(wall, post.at, wall.today(self._now()) + 1).at
            time = clock(in_zone(tomorrow, self._zone))
            menu.add(tr("Tomorrow at {time}", time=time), lambda: self._later(key, tomorrow))
        menu.add(tr("Other time…"), lambda: self._ask_time(key))
        return menu

    def _open_menu(self) -> None:
        self.later_menu().open_below(self.later_button)

    def _ask_time(self, key: str) -> None:
        if key != self._key:
            self._say("info", tr("This post isn't waiting any more."))
            return
        self._foot.hide()
        self.form.open_at(self._now() + DAY_MS, tr("Remind me"), tr("Remind me again at"))
        self._show_main(None)
        self._resize.start()

    def _end_form(self) -> None:
        self._foot.show()
        self._show_main(self._main)
        self._resize.start()
        self.later_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refusal(self, at: int) -> str | None:
        return self._workspace.refusal(self._key, at) if self._key else None

    def _offer_undo_of_step(self, text: str, *, had_focus: bool) -> None:
        step = next((step for step in self._workspace.history if step.done), None)
        if step is not None:
            step_id = step.id
            self._offer_undo(text, lambda: self._workspace.undo_step(step_id), had_focus=had_focus)

    def _offer_undo(self, text: str, undo: Callable[[], object], *, had_focus: bool) -> None:
        self.refresh()
        self._undo = undo
        strip = self._say("info", text, tr("Undo"))
        strip.acted.connect(self._do_undo)
        self._undo_timer.start()
        if had_focus and self._key:
            self._focus_first()
        elif had_focus and (ways := strip.ways()):
            ways[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _do_undo(self) -> None:
        undo, self._undo = self._undo, lambda: None
        self._drop_strip()
        undo()

    def _end_undo(self) -> None:
        """Stop offering Undo, unless its button has the focus or the pointer."""
        strip = self._strip
        if strip is not None and (strip.underMouse() or any(way.hasFocus() for way in strip.ways())):
            self._undo_timer.start()
            return
        self._drop_strip()
        if not self._key:
            self.close()

    def _report(self, problem: Problem) -> None:
        self._show_facts()
        self._say("error", problem.text)

    def _say(self, kind: MessageKind, text: str, action: str = "") -> MessageStrip:
        self._drop_strip()
        strip = self._strip = MessageStrip(kind, text, action=action)
        strip.dismissed.connect(self._drop_strip)
        self._strips.addWidget(strip)
        self._strips.setContentsMargins(_GUTTER, 0, _GUTTER, 12)
        self._resize.start()
        announce(self, text, urgent=kind == "error")
        return strip

    def _drop_strip(self) -> None:
        self._undo_timer.stop()
        self._strip = None
        clear(self._strips)
        self._strips.setContentsMargins(_GUTTER, 0, _GUTTER, 0)
        self._resize.start()

    def _mark_main(self, main: Button) -> None:
        self._main = main
        self._show_main(main)

    def _show_main(self, main: Button | None) -> None:
        """Emphasise a button; none while the form is open, which has its own."""
        for button in (self.open_button, self.done_button):
            button.set_kind("primary" if button is main else "secondary")

    def _focus_first(self) -> None:
        first = self.open_button if self._key else self
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _changed(self, changes: Changes) -> None:
        if changes.posts or changes.removed or changes.accounts or changes.reset:
            self.refresh()

    def _place(self) -> None:
        """Move the card to the lower corner of its screen, once; the user may move it."""
        self._is_placed = True
        room = self.screen().availableGeometry()
        corner = room.bottomRight() - QPoint(self.width() + _EDGE, self.height() + _EDGE)
        self.move(max(room.left(), corner.x()), max(room.top(), corner.y()))
        self._fit()

    def _fit(self) -> None:
        """Make the card as high as its content, keeping its lower edge in place."""
        if not self._is_placed or self.isHidden():
            return
        room = self.screen().availableGeometry()
        self._column.activate()
        body = self._inner.heightForWidth(self.width()) if self._key else 0
        needed = self.sizeHint().height() - self._area.sizeHint().height() + body
        height = min(max(needed, self.minimumSizeHint().height()), room.height() - 2 * _EDGE)
        bottom = self.y() + self.height()
        self.resize(self.width(), height)
        self.move(self.x(), max(room.top(), bottom - height))

    def _connect(self) -> None:
        self.destroyed.connect(self._workspace.listen(self._changed))
        self.list.currentRowChanged.connect(self._row_chosen)
        self.open_button.clicked.connect(lambda: self._scope.start(self.open_composer()))
        self.content.loaded.connect(self._show_facts)
        self.content.resized.connect(self._resize.start)
        self.address.returnPressed.connect(self._finish)
        self.address.textEdited.connect(lambda: self.field.set_error(""))
        self.done_button.clicked.connect(self._finish)
        self.skip_button.clicked.connect(self._skip)
        self.later_button.clicked.connect(self._open_menu)
        for button in (self.done_button, self.skip_button, self.later_button):
            button.installEventFilter(self)
        self.form.confirmed.connect(lambda at: self._later(self._key, at))
        self.form.closed.connect(self._end_form)
        self._undo_timer.timeout.connect(self._end_undo)
        self._resize.timeout.connect(self._fit)

    def _dress(self) -> None:
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setWindowIcon(icons.app_icon())
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        grow(self, QWidget.setFixedWidth, _WIDTH)
        self.address.setPlaceholderText("https://")
        self.open_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _lay_out(self) -> None:
        self._fill_body()
        rows = QVBoxLayout()
        rows.setContentsMargins(8, 8, 8, 0)
        rows.addWidget(self.list)
        self._strips.setContentsMargins(_GUTTER, 0, _GUTTER, 0)
        self.empty.setContentsMargins(_GUTTER, 20, _GUTTER, 20)
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(_GUTTER, 10, _GUTTER, 10)
        foot.setSpacing(8)
        foot.addWidget(self.skip_button)
        foot.addStretch(1)
        foot.addWidget(self.later_button)
        foot.addWidget(self.done_button)
        column = self._column
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(rows)
        column.addWidget(self.empty)
        column.addWidget(self._area, 1)
        column.addLayout(self._strips)
        column.addWidget(self._divider)
        column.addWidget(self._foot)
        column.addWidget(self.form)

    def _fill_body(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.icon)
        head.addWidget(self.account, 1)
        body = self._inner
        body.setContentsMargins(_GUTTER, 12, _GUTTER, 12)
        body.setSpacing(10)
        body.addLayout(head)
        for widget in (self.due, self.content, self.open_button, self.field):
            body.addWidget(widget)
