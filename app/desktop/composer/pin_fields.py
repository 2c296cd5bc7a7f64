"""Where pins go, and the web page that they lead to."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.composer.board_field import BoardField
from app.desktop.widgets import Field, LineEdit
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.editing.boards import Boards
from app.workspace.editing.model import DraftModel

_HELP = tr("The page that opens when someone clicks the pin.")


class PinFields(QWidget):
    """A board for each Pinterest account, and one link for all; hidden without such accounts."""

    def __init__(self, model: DraftModel, boards: Boards, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._boards = model, boards
        holder = QWidget(self)  # made first, since Tab goes by that
        self._fields: dict[str, BoardField] = {}
        self.link = LineEdit(icon="link")
        self.link.setInputMethodHints(Qt.InputMethodHint.ImhUrlCharactersOnly)
        self._link_field = Field(tr("Pinterest link"), self.link, _HELP)
        self._pickers = QVBoxLayout(holder)
        self._pickers.setContentsMargins(0, 0, 0, 0)
        self._pickers.setSpacing(10)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(holder, 1)
        row.addWidget(self._link_field, 1)
        self.link.textChanged.connect(self._link_edited)
        self.hide()

    def refresh(self) -> None:
        """Ask for the boards of the Pinterest accounts that are chosen, and show what the draft says."""
        if self.link.text().strip() != self._model.link:
            self.link.setText(self._model.link)
            self._link_field.set_error("")
        chosen = self._model.chosen
        pinterest = {one.key: one for one in chosen if one.platform is ConnectionPlatform.PINTEREST}
        for key in self._fields.keys() - pinterest.keys():
            gone = self._fields.pop(key)
            self._pickers.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for key, account in pinterest.items():
            if key not in self._fields:
                self._add(account)
        several = len(self._fields) > 1
        for key, field in self._fields.items():
            field.set_name(
                tr("Board for {account}", account=pinterest[key].name) if several else tr("Pinterest board")
            )
            if field.board() != self._model.boards.get(key):
                field.set_board(self._model.boards.get(key))
        self.setVisible(bool(self._fields))

    def show_link_problem(self) -> None:
        """Say at the link what is wrong with it, if anything is."""
        self._link_field.set_error(self._model.link_problem)

    def focus_link(self) -> None:
        """Go to the link."""
        self.link.setFocus()

    def field(self, account_key: str) -> BoardField:
        """Return the field of an account; raises KeyError when it is not on Pinterest or not chosen."""
        return self._fields[account_key]

    def focus_board(self, account_key: str) -> None:
        """Go to the board of an account."""
        if account_key in self._fields:
            self._fields[account_key].focus_problem()

    def _add(self, account: Account) -> None:
        field = BoardField(self._boards, account.key, self._model.boards.get(account.key))
        field.chosen.connect(lambda board, key=account.key: self._model.set_board(key, board))
        self._fields[account.key] = field
        self._pickers.addWidget(field)

    def _link_edited(self, text: str) -> None:
        self._model.set_link(text)
        if self._link_field.error():
            self.show_link_problem()
