"""The board of one Pinterest account, chosen from those that it has now."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.theme import icons
from app.desktop.widgets import ComboBox, Field, LinkButton, keeping_focus
from app.language import tr
from app.workspace.editing.boards import Board, Boards
from app.workspace.messages import Problem

_ASKING, _CHOOSE = tr("Loading boards…"), tr("Choose a board")
_NONE = tr("This account has no boards. Create one on Pinterest, then reload.")


class BoardField(QWidget):
    """Lists the boards known last time at once, then those of now. A failure says why; one may ask again."""

    chosen = Signal(object)
    """The Board that the person chose."""

    def __init__(
        self, boards: Boards, account_key: str, board: Board | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._boards, self._account_key, self._board = boards, account_key, board
        self._listed: tuple[Board, ...] = ()
        self.combo, self.again = ComboBox(), LinkButton(tr("Reload"))
        self.combo.setMaxVisibleItems(12)
        self.combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setMinimumContentsLength(8)
        self.field = Field(tr("Pinterest board"), self.combo, trailing=self.again)
        self.again.setAccessibleName(tr("Reload boards from Pinterest"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.field)
        self._scope = TaskScope(self)
        self.combo.activated.connect(self._take)
        self.again.clicked.connect(self.ask)
        self.again.hide()
        self._list((), _ASKING)
        self._scope.start(self._begin(), self._failed)

    def board(self) -> Board | None:
        """Return what is chosen."""
        return self._board

    def set_name(self, name: str) -> None:
        """Call the field otherwise."""
        self.field.set_label(name)

    def set_board(self, board: Board | None) -> None:
        """Choose a board, without a notice; it stays chosen even while it is not listed."""
        self._board = board
        self._list(self._listed, self.combo.placeholderText())

    def ask(self) -> None:
        """Ask for the boards of now."""
        self.field.set_error("")
        if not self._listed:
            self._list((), _ASKING)
        self._scope.start(self._ask(), self._failed)

    def focus_problem(self) -> None:
        """Go to where the board is chosen, or asked for."""
        (self.combo if self.combo.isEnabled() else self.again).setFocus()

    async def _begin(self) -> None:
        if known := await self._boards.known(self._account_key):
            self._list(known, _CHOOSE)
        await self._ask()

    async def _ask(self) -> None:
        boards = await self._boards.ask(self._account_key)
        self._list(boards, _CHOOSE if boards else tr("No boards"))
        self.field.set_error("" if boards else _NONE)
        with keeping_focus(self.again, self.combo):
            self.again.setVisible(not boards)

    def _failed(self, problem: Problem) -> None:
        if self._listed:
            self.field.set_help(tr("Last known boards. Pinterest can't be reached right now."))
        else:
            self._list((), tr("No boards yet"))
            self.field.set_error(problem.text)
        self.again.show()

    def _list(self, boards: Sequence[Board], nothing: str) -> None:
        """List boards; the one that is chosen stays, first when Pinterest does not tell it."""
        self._listed = tuple(boards)
        self.combo.clear()
        self.combo.setPlaceholderText(nothing)
        shown = list(self._listed)
        if self._board is not None and self._board.id not in {board.id for board in shown}:
            shown.insert(0, self._board)
        for board in shown:
            self.combo.addItem(board.name, board)
            if board.is_secret:
                self.combo.setItemIcon(self.combo.count() - 1, icons.icon("lock", "text3"))
        ids = [board.id for board in shown]
        self.combo.setCurrentIndex(ids.index(self._board.id) if self._board is not None else -1)
        self.combo.setEnabled(bool(shown))

    def _take(self, index: int) -> None:
        board = self.combo.itemData(index)
        if isinstance(board, Board) and board != self._board:
            self._board = board
            self.field.set_help("")
            self.chosen.emit(board)
