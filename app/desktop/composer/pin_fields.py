"""Where pins go, and the web page that they lead to."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.composer.board_field import BoardField
from app.desktop.widgets import Field, LineEdit
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.editing.boards import Board, Boards
from app.workspace.editing.obstacles import as_web_link

_HELP = tr("The page that opens when someone clicks the pin.")
_NO_LINK = tr("That isn't a web address. Try something like okafor.studio/coat.")


class PinFields(QWidget):
    """A board for each Pinterest account, and one link for all; hidden without such accounts."""

    changed = Signal()

    def __init__(self, boards: Boards, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boards, holder = boards, QWidget(self)  # made first, since Tab goes by that
        self._fields: dict[str, BoardField] = {}
        self._chosen: dict[str, Board] = {}
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
        self.link.textEdited.connect(self._link_edited)
        self.hide()

    def set_post(self, boards: Mapping[str, Board], link: str) -> None:
        """Show what a draft says, without a notice."""
        self._chosen = dict(boards)
        for key, field in self._fields.items():
            field.set_board(self._chosen.get(key))
        self.link.setText(link)
        self._link_field.set_error("")

    def show_for(self, accounts: Sequence[Account]) -> None:
        """Ask for the boards of the Pinterest accounts among these."""
        pinterest = {one.key: one for one in accounts if one.platform is ConnectionPlatform.PINTEREST}
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
        self.setVisible(bool(self._fields))

    def boards(self) -> dict[str, Board]:
        """Return the boards that were chosen, by account; also of accounts that are not shown now."""
        return dict(self._chosen)

    def written_link(self) -> str:
        """Return the link as it was written."""
        return self.link.text().strip()

    def sent_link(self) -> str:
        """Return the link as it is sent, "" for none."""
        return as_web_link(self.link.text())

    def link_problem(self) -> str:
        """Return what is wrong with the link, or ""."""
        wrong = self._fields and self.written_link() and not self.sent_link()
        return _NO_LINK if wrong else ""

    def show_link_problem(self) -> None:
        """Say at the link what is wrong with it, if anything is."""
        self._link_field.set_error(self.link_problem())

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
        field = BoardField(self._boards, account.key, self._chosen.get(account.key))
        field.chosen.connect(lambda board, key=account.key: self._take(key, board))
        self._fields[account.key] = field
        self._pickers.addWidget(field)

    def _take(self, account_key: str, board: Board) -> None:
        self._chosen[account_key] = board
        self.changed.emit()

    def _link_edited(self) -> None:
        if self._link_field.error():
            self.show_link_problem()
        self.changed.emit()
