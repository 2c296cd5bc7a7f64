"""What TikTok asks for, once for each of its accounts that are chosen."""

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.tiktok.field import TikTokField
from app.language import tr
from app.workspace.editing.model import DraftModel
from app.workspace.tiktok.tiktok import TikTok


class TikTokFields(QWidget):
    """Hidden without TikTok accounts, and where the service keeps no choices for TikTok."""

    def __init__(self, model: DraftModel, tiktok: TikTok, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._tiktok = model, tiktok
        self._fields: dict[str, TikTokField] = {}
        self._asks = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(16)
        self.hide()

    @property
    def is_outdated(self) -> bool:
        """Whether the service has begun to keep choices, or stopped, since ``refresh``."""
        return self._asks is not self._model.asks_tiktok

    def refresh(self) -> None:
        """Ask for the choices of the TikTok accounts that are chosen, and show what the draft says."""
        self._asks = self._model.asks_tiktok
        wanted = {one.key: one for one in self._model.chosen if one.platform is ConnectionPlatform.TIKTOK}
        shown = wanted if self._asks else {}
        for key in self._fields.keys() - shown.keys():
            gone = self._fields.pop(key)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for key in shown.keys() - self._fields.keys():
            self._add(key)
        for key, field in self._fields.items():
            field.set_post_type(self._model.post_type)
            if field.draft() != self._model.tiktok_for(key):
                field.set_draft(self._model.tiktok_for(key))
            name = tr("Who can see it on TikTok")
            if len(shown) > 1:
                name = tr("Who can see it on TikTok as {account}", account=shown[key].name)
            field.set_name(name)
        self.setVisible(bool(self._fields))

    def field(self, account_key: str) -> TikTokField:
        """Return the field of an account; raises KeyError when it is not on TikTok or not chosen."""
        return self._fields[account_key]

    def focus_audience(self, account_key: str) -> None:
        """Go to who can see an account's post."""
        if account_key in self._fields:
            self._fields[account_key].focus_privacy()

    def focus_disclosure(self, account_key: str) -> None:
        """Go to what an account's post promotes."""
        if account_key in self._fields:
            self._fields[account_key].focus_commercial()

    def _add(self, key: str) -> None:
        field = TikTokField(self._tiktok, key, self._model.tiktok_for(key))
        field.changed.connect(lambda: self._model.choose_tiktok(key, field.draft()))
        field.answered.connect(partial(self._model.learn_creator, key))
        self._fields[key] = field
        self._column.addWidget(field)
