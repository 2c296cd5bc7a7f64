"""What TikTok asks for, once for each of its accounts that are chosen."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.tiktok import TikTokChoice
from app.desktop.composer.problems import Obstacle
from app.desktop.tiktok.field import TikTokField
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.tiktok.choice import TikTokDraft
from app.workspace.tiktok.issues import COMMERCIAL, PRIVACY, issues
from app.workspace.tiktok.tiktok import TikTok

_LENGTH = "media_storage_path"


class TikTokFields(QWidget):
    """Hidden without TikTok accounts, and where the service keeps no choices for TikTok."""

    changed = Signal()

    def __init__(self, tiktok: TikTok, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tiktok = tiktok
        self._fields: dict[str, TikTokField] = {}
        self._chosen: dict[str, TikTokDraft] = {}
        self._offered = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(16)
        self.hide()

    def set_post(self, drafts: Mapping[str, TikTokDraft]) -> None:
        """Show what a draft says, without a notice."""
        self._chosen = dict(drafts)
        for key, field in self._fields.items():
            field.set_draft(self._chosen.get(key, TikTokDraft()))

    @property
    def is_outdated(self) -> bool:
        """Whether the service has begun to keep choices, or stopped, since ``show_for``."""
        return self._offered is not self._tiktok.offered

    def show_for(self, accounts: Sequence[Account], post_type: PostType) -> None:
        """Ask for the choices of the TikTok accounts among these."""
        self._offered = self._tiktok.offered
        wanted = {one.key: one for one in accounts if one.platform is ConnectionPlatform.TIKTOK}
        shown = wanted if self._offered else {}
        for key in self._fields.keys() - shown.keys():
            gone = self._fields.pop(key)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for key in shown.keys() - self._fields.keys():
            self._add(key)
        for key, field in self._fields.items():
            field.set_post_type(post_type)
            name = tr("Who can see it on TikTok")
            if len(shown) > 1:
                name = tr("Who can see it on TikTok as {account}", account=shown[key].name)
            field.set_name(name)
        self.setVisible(bool(self._fields))

    def drafts(self) -> dict[str, TikTokDraft]:
        """Return what is chosen, by account; also of accounts that are not shown now."""
        return dict(self._chosen)

    def choice_for(self, account_key: str) -> TikTokChoice | None:
        """Return the choice for an account; None where there is none, and where nobody is asked."""
        return self._draft_of(account_key).choice if account_key in self._fields else None

    def field(self, account_key: str) -> TikTokField:
        """Return the field of an account; raises KeyError when it is not on TikTok or not chosen."""
        return self._fields[account_key]

    def obstacles(
        self, post_type: PostType, duration_of: Callable[[str], int | None], go_to_file: Callable[[str], None]
    ) -> list[Obstacle]:
        """Return what TikTok would refuse, each sentence once; ``duration_of`` a video is in ms."""
        found: dict[str, Obstacle] = {}
        for key, field in self._fields.items():
            ways = {PRIVACY: field.focus_privacy, COMMERCIAL: field.focus_commercial}
            for issue in issues(self._draft_of(key), field.creator, post_type, duration_of(key)):
                go = partial(go_to_file, key) if issue.field == _LENGTH else ways[issue.field]
                found.setdefault(issue.message, Obstacle(issue.message, go, early=issue.type != "missing"))
        return list(found.values())

    def _draft_of(self, account_key: str) -> TikTokDraft:
        return self._chosen.get(account_key, TikTokDraft())

    def _add(self, key: str) -> None:
        field = TikTokField(self._tiktok, key, self._draft_of(key))
        field.changed.connect(partial(self._take, key))
        self._fields[key] = field
        self._column.addWidget(field)

    def _take(self, key: str) -> None:
        self._chosen[key] = self._fields[key].draft()
        self.changed.emit()
