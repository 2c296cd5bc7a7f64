"""The outcome of a post that wasn't simply published: what happened, and what the user can do."""

from datetime import datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.contract.companion import Attempt
from app.contract.enums import PostStatus
from app.desktop.connections.connecting import connectable
from app.desktop.inspector.causes import headline
from app.desktop.inspector.facts import attempt_words
from app.desktop.inspector.notice_block import NoticeBlock
from app.desktop.opening import open_page
from app.desktop.widgets import Button, FoldButton, Label, secondary
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.advice import in_own_words, reason_of
from app.workspace.posts.planned import PlannedPost


def page_of(account: Account) -> str:
    """Return the address where an account's publications can be seen; "" if there is none."""
    card = CARDS.get(account.platform)
    if account.practice or card is None:
        return ""
    if card.pages.account and account.handle:
        return card.pages.account.format(quote(account.handle.removeprefix("@"), safe=""))
    return card.pages.own


class Outcome(NoticeBlock):
    """Hidden unless a post failed or may be live.

    If the response was lost, the user checks the platform and reports whether the post is there.
    """

    reconnect_wanted = Signal()
    rewrite_wanted = Signal()
    found = Signal(bool)
    """Whether the user found the post on its platform."""

    def __init__(self, zone: ZoneInfo, parent: QWidget | None = None) -> None:
        super().__init__("triangle-alert", "bad", parent)
        self._zone, self._page = zone, ""
        self.details = Label("", "small", "text2", wrap=True)
        self.connect_button = secondary(tr("Reconnect"), size="small")
        self.look_button = secondary("", "external-link", size="small")
        self.there_button = secondary(tr("It's there"), size="small")
        self.absent_button = secondary("", size="small")
        self.write_button = secondary(tr("Edit and repost"), size="small")
        self.details_button = FoldButton(tr("Details"), self.details)
        for label in (self.headline, self.advice, self.details):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # Qt's policy for selectable text excludes Tab
        buttons = self.connect_button, self.look_button, self.there_button, self.absent_button
        self.lay_out((*buttons, self.write_button, self.details_button), self.details)
        self._connect()

    def show_for(
        self,
        post: PlannedPost,
        account: Account | None,
        attempts: tuple[Attempt, ...],
        *,
        readable: bool,
        can_report: bool = True,
    ) -> None:
        """Show the outcome of a post, and what helps.

        Args:
            post: its current state.
            account: its account; None if it's no longer connected.
            attempts: to publish it, newest first.
            readable: whether its text is known, so that it can be written again.
            can_report: whether the service accepts a report that the post is there.
        """
        is_lost, failed = post.may_be_live, post.status is PostStatus.FAILED
        self.setVisible(is_lost or failed)
        if self.isHidden():
            return
        name = platform_name(post.platform.value)
        self._say(post, name, attempts)
        self.absent_button.setText(tr("It isn't: post again") if can_report else tr("Post again"))
        if is_lost and not can_report:
            self.advice.setText(tr("Check there whether it was published. Post it again only if it wasn't."))
        self._page = page_of(account) if account is not None and is_lost else ""
        self.look_button.setText(tr("Check on {platform}", platform=name))
        ended = account is not None and not account.is_available and account.platform in connectable()
        self._offer(
            {
                self.connect_button: ended,
                self.look_button: bool(self._page),
                self.there_button: is_lost and can_report,
                self.absent_button: is_lost and readable,
                self.write_button: failed and not is_lost and readable,
            }
        )

    def _say(self, post: PlannedPost, name: str, attempts: tuple[Attempt, ...]) -> None:
        """Show what happened on the platform of this name, and what to do."""
        is_lost, last = post.may_be_live, attempts[0] if attempts else None
        self.set_tone(*(("circle-help", "warn") if is_lost else ("triangle-alert", "bad")))
        if is_lost:
            self.headline.setText(tr("{platform} didn't confirm this post.", platform=name))
            self.advice.setText(tr("Check there whether it was published, then choose what you found."))
        else:
            self.headline.setText(headline(last, name))
            advice = in_own_words(last.advice or "") if last else reason_of(post)
            self.advice.setText(advice.removeprefix(self.headline.text()).lstrip())
            self.advice.setVisible(bool(self.advice.text()))
        self._say_details(post, attempts)

    def _offer(self, offered: dict[Button, bool]) -> None:
        """Show some buttons; the first is the main one: reconnect, check the platform, or edit the text."""
        for button, is_offered in offered.items():
            button.setVisible(is_offered)
            button.set_kind("secondary")
            button.updateGeometry()
        first = next((button for button, is_offered in offered.items() if is_offered), None)
        if first is not None and first is not self.there_button:
            first.set_kind("primary")

    def _say_details(self, post: PlannedPost, attempts: tuple[Attempt, ...]) -> None:
        lines = [attempt_words(one, self._here(one.started_at)) for one in attempts]
        if post.may_be_live and post.reason:
            lines.insert(0, in_own_words(post.reason))
        self.details.setText("\n".join(lines))
        self.details_button.setVisible(bool(lines))

    def _here(self, moment: datetime) -> datetime:
        return moment.astimezone(self._zone)

    def _connect(self) -> None:
        self.connect_button.clicked.connect(self.reconnect_wanted)
        self.look_button.clicked.connect(lambda: open_page(self._page))
        self.there_button.clicked.connect(lambda: self.found.emit(True))
        self.absent_button.clicked.connect(lambda: self.found.emit(False))
        self.write_button.clicked.connect(self.rewrite_wanted)
