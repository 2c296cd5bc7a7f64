"""The sheet for an account's posts on TikTok: where they go, and who can see those that don't specify it."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.tiktok import TikTokField
from app.desktop.widgets import Button, ComboBox, Divider, Field, Label, Sheet, StateStrip, announce, primary
from app.desktop.widgets.painting import insets
from app.desktop.widgets.sheet import sheet_body
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.messages import Problem
from app.workspace.tiktok import TikTok, TikTokDraft, issues

_WIDTH, _INSET = 460, 24
_EXPLAINED = tr(
    "Used for posts from CSV files and other programs. Without it, they fail. In the composer, "
    "you choose for each post."
)
_TO_INBOX = tr(
    "At its time, each post is sent to your TikTok inbox. You finish it in TikTok's app, where you paste the "
    "text and choose who can see it. This works with every app. TikTok takes five posts in 24 hours."
)
_DIRECTLY = tr(
    "Until TikTok audits your app, its posts are private, and the account must be too. After that, posts can "
    "be public."
)
_NOT_DIRECTLY = tr(
    "You haven't allowed Kalends to publish directly. To change that, connect the account again and allow it."
)
_NOT_TO_INBOX = tr(
    "You haven't allowed Kalends to use your inbox. To change that, connect the account again and allow it."
)


class TikTokSheet(Sheet):
    """The composer's TikTok fields, for an account."""

    def __init__(self, host: QWidget, tiktok: TikTok, account: Account) -> None:
        super().__init__(
            host, tr("TikTok settings for {name}", name=account.name), _WIDTH, closes_beside=False
        )
        self._tiktok, self._account = tiktok, account
        self._tried = self._has_default = False
        self._scope = TaskScope(self, self._show_problem)
        self.strip, self.problem = StateStrip(), Label("", "card", "bad", wrap=True)
        self.way, self._inbox, self._is_fixed = ComboBox(), False, False
        self.way.addItem(tr("To your TikTok inbox"), True)
        self.way.addItem(tr("Directly"), False)
        self.way_field = Field(tr("How posts are published"), self.way)
        self.field = TikTokField(tiktok, account.key, TikTokDraft())
        self.heading = Label(tr("Default for other programs"), "strong")
        self.explained = Label(_EXPLAINED, "card", "text2", wrap=True)
        self.field.setEnabled(False)
        self.way_field.hide()
        self.save, self.forget = primary(tr("Save")), Button(tr("Remove default"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out()
        self.field.changed.connect(self._judge)
        self.way.activated.connect(self._show_way)
        self.save.clicked.connect(self._save)
        self.forget.clicked.connect(lambda: self._scope.start(self._keep(TikTokDraft())))
        self.cancel.clicked.connect(self.dismiss)
        self.strip.acted.connect(lambda: self._scope.start(self._begin()))
        self.save.setEnabled(False)
        self.forget.hide()
        self.problem.hide()
        self._scope.start(self._begin())

    async def _begin(self) -> None:
        found = await self._tiktok.account(self._account.key)
        self._inbox, self._is_fixed, choice = found.inbox, found.is_fixed, found.choice
        self.strip.say("")
        self.way.setCurrentIndex(self.way.findData(found.inbox))
        self.field.set_draft(TikTokDraft.of(choice))
        self.field.setEnabled(True)
        self.save.setEnabled(True)
        self._has_default = choice is not None
        self._show_way()

    @property
    def _is_to_inbox(self) -> bool:
        return self._tiktok.has_inbox and bool(self.way.currentData())

    def _show_way(self) -> None:
        """Show the audience only for posts that are published directly: TikTok asks in its app."""
        is_to_inbox = self._is_to_inbox
        self.way_field.setVisible(self._tiktok.has_inbox)
        self.way.setEnabled(not self._is_fixed)
        why_fixed = _NOT_DIRECTLY if is_to_inbox else _NOT_TO_INBOX
        about = _TO_INBOX if is_to_inbox else _DIRECTLY
        self.way_field.set_help(f"{about} {why_fixed}" if self._is_fixed else about)
        for widget in (self.heading, self.explained, self.field):
            widget.setVisible(not is_to_inbox)
        self.forget.setVisible(self._has_default and not is_to_inbox)
        self._judge()

    def _save(self) -> None:
        self._tried = True
        self._judge()
        if self.problem.text():
            self.field.focus_privacy()
            return
        self._scope.start(self._keep(self.field.draft()))

    async def _keep(self, draft: TikTokDraft) -> None:
        """Save what was changed."""
        self.save.setEnabled(False)
        is_to_inbox, key = self._is_to_inbox, self._account.key
        try:
            if is_to_inbox is not self._inbox:
                await self._tiktok.send_to_inbox(key, is_to_inbox)
                self._inbox = is_to_inbox
            if not is_to_inbox and (draft.choice or self._has_default):
                await self._tiktok.choose_for_account(key, draft.choice)
        except Problem:
            self.save.setEnabled(True)
            raise
        window = self.window()
        self.dismiss()
        announce(window, tr("Saved."))

    def _judge(self) -> None:
        found = issues(self.field.draft(), self.field.creator, PostType.VIDEO, None)
        # A default isn't needed to change where posts go.
        is_needed = self._tried and not self._inbox
        said = [one.message for one in found if is_needed or one.type != "missing"]
        if self._is_to_inbox:
            said = []
        self.problem.setText(" ".join(said))
        self.problem.setVisible(bool(said))

    def _show_problem(self, problem: Problem) -> None:
        self.strip.say_problem(problem.text, problem.kind)

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(_INSET, 20, _INSET, 16)
        column.setSpacing(12)
        column.addWidget(Label(self.accessibleName(), "section", wrap=True))
        column.addWidget(self.strip)
        column.addWidget(self.way_field)
        column.addWidget(self.heading)
        column.addWidget(self.explained)
        column.addWidget(self.field)
        column.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setContentsMargins(insets(12, 12, _INSET, 12))
        foot.setSpacing(8)
        foot.addWidget(self.forget)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.save)
        self.layout_.addWidget(sheet_body(content))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(foot)
