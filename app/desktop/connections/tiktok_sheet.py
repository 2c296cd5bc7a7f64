"""The sheet for an account's TikTok defaults: who can see posts that don't specify it."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.tiktok import TikTokField
from app.desktop.widgets import Button, Divider, Label, Sheet, StateStrip, announce, primary
from app.desktop.widgets.painting import insets
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.messages import Problem
from app.workspace.tiktok import TikTok, TikTokDraft, issues

_WIDTH, _INSET = 460, 24
_EXPLAINED = tr(
    "The default for posts from CSV imports and other programs. In the composer, "
    "you choose for each post. Without a default, those posts fail."
)


class TikTokSheet(Sheet):
    """The composer's TikTok fields, for an account."""

    def __init__(self, host: QWidget, tiktok: TikTok, account: Account) -> None:
        super().__init__(host, tr("TikTok posts of {name}", name=account.name), _WIDTH, closes_beside=False)
        self._tiktok, self._account = tiktok, account
        self._tried = False
        self._scope = TaskScope(self, self._show_problem)
        self.strip, self.problem = StateStrip(), Label("", "card", "bad", wrap=True)
        self.field = TikTokField(tiktok, account.key, TikTokDraft())
        self.field.setEnabled(False)
        self.save, self.forget = primary(tr("Save")), Button(tr("Remove default"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out()
        self.field.changed.connect(self._judge)
        self.save.clicked.connect(self._save)
        self.forget.clicked.connect(lambda: self._scope.start(self._keep(TikTokDraft())))
        self.cancel.clicked.connect(self.dismiss)
        self.strip.acted.connect(lambda: self._scope.start(self._begin()))
        self.save.setEnabled(False)
        self.forget.hide()
        self.problem.hide()
        self._scope.start(self._begin())

    async def _begin(self) -> None:
        choice = (await self._tiktok.account(self._account.key)).choice
        self.strip.say("")
        self.field.set_draft(TikTokDraft.of(choice))
        self.field.setEnabled(True)
        self.save.setEnabled(True)
        self.forget.setVisible(choice is not None)

    def _save(self) -> None:
        self._tried = True
        self._judge()
        if self.problem.text():
            self.field.focus_privacy()
            return
        self._scope.start(self._keep(self.field.draft()))

    async def _keep(self, draft: TikTokDraft) -> None:
        self.save.setEnabled(False)
        try:
            await self._tiktok.choose_for_account(self._account.key, draft.choice)
        except Problem:
            self.save.setEnabled(True)
            raise
        window = self.window()
        self.dismiss()
        announce(window, tr("Saved."))

    def _judge(self) -> None:
        found = issues(self.field.draft(), self.field.creator, PostType.VIDEO, None)
        said = [one.message for one in found if self._tried or one.type != "missing"]
        self.problem.setText(" ".join(said))
        self.problem.setVisible(bool(said))

    def _show_problem(self, problem: Problem) -> None:
        self.strip.say_problem(problem.text, problem.kind)

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.setContentsMargins(_INSET, 20, _INSET, 16)
        column.setSpacing(12)
        column.addWidget(Label(self.accessibleName(), "section", wrap=True))
        column.addWidget(Label(_EXPLAINED, "card", "text2", wrap=True))
        column.addWidget(self.strip)
        column.addWidget(self.field)
        column.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setContentsMargins(insets(12, 12, _INSET, 12))
        foot.setSpacing(8)
        foot.addWidget(self.forget)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.save)
        self.layout_.addLayout(column)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(foot)
