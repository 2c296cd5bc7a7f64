"""Options of single platforms: board and link of pins, TikTok's audience, and those of other networks."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.aio import TaskScope
from app.desktop.local_time import local, today
from app.desktop.network_options import OptionsField
from app.desktop.theme import icons
from app.desktop.tiktok import TikTokField
from app.desktop.widgets import ComboBox, Field, Label, LineEdit, LinkButton, Reflow, keeping_focus
from app.desktop.words import when
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis, wall_clock
from app.workspace.editing.accounts import posting_platform
from app.workspace.editing.boards import Board, Boards
from app.workspace.editing.model import DraftModel
from app.workspace.editing.options import options_of
from app.workspace.messages import Problem
from app.workspace.tiktok import TikTok

_ASKING, _CHOOSE = tr("Loading boards…"), tr("Choose a board")
_NONE = tr("This account has no boards. Create one on Pinterest, then reload.")


class BoardField(QWidget):
    """Shows stored boards immediately, then current ones. If loading fails, it offers to retry."""

    chosen = Signal(object)
    """The Board that the person chose."""

    def __init__(
        self, boards: Boards, account_key: str, board: Board | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._boards, self._account_key, self._board = boards, account_key, board
        self._listed: tuple[Board, ...] = ()
        self._known_at: int | None = None
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
        keeps_room = self.again.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self.again.setSizePolicy(keeps_room)
        self.again.hide()
        self._list((), _ASKING)
        self._scope.start(self._begin(), self._failed)

    def board(self) -> Board | None:
        """Return the selected board."""
        return self._board

    def set_name(self, name: str) -> None:
        """Change the field's label."""
        self.field.set_label(name)

    def set_board(self, board: Board | None) -> None:
        """Select a board without emitting signals, even if it isn't listed."""
        self._board = board
        self._list(self._listed, self.combo.placeholderText())

    def ask(self) -> None:
        """Request the current boards."""
        self.field.set_error("")
        if not self._listed:
            self._list((), _ASKING)
        self._scope.start(self._ask(), self._failed)

    def focus_problem(self) -> None:
        """Focus the list of boards, or the button that loads them."""
        (self.combo if self.combo.isEnabled() else self.again).setFocus()

    async def _begin(self) -> None:
        if known := await self._boards.known(self._account_key):
            self._known_at = await self._boards.known_at(self._account_key)
            self._list(known, _CHOOSE)
        await self._ask()

    async def _ask(self) -> None:
        boards = await self._boards.ask(self._account_key)
        self._known_at = wall_clock()
        self.field.set_help("")
        self._list(boards, _CHOOSE if boards else tr("No boards"))
        self.field.set_error("" if boards else _NONE)
        with keeping_focus(self.again, self.combo):
            self.again.setVisible(not boards)

    def _failed(self, problem: Problem) -> None:
        offline = problem.kind == "unreachable"
        if self._listed:
            self.field.set_help(self._age(offline=offline))
        else:
            self._list((), tr("No boards yet"))
            self.field.set_error(tr("Offline: reload when you're back online.") if offline else problem.text)
        self.again.show()

    def _age(self, *, offline: bool) -> str:
        """Return the age of the listed boards if current ones can't be loaded."""
        if self._known_at is None:
            return tr("Last known boards. Pinterest can't be reached right now.")
        time = when(local(from_millis(self._known_at)), today())
        if offline:
            return tr("Offline: boards as of {time}", time=time)
        return tr("Pinterest can't be reached: boards as of {time}", time=time)

    def _list(self, boards: Sequence[Board], nothing: str) -> None:
        """List boards; the selected one stays, at the top if Pinterest doesn't return it."""
        self._listed = tuple(boards)
        self.combo.list_when_closed(partial(self._fill, nothing))

    def _fill(self, nothing: str) -> None:
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


_HELP = tr("The page that opens when someone clicks the pin.")


class PinFields(QWidget):
    """A board for each Pinterest account, and a link for all; hidden without such accounts."""

    def __init__(self, model: DraftModel, boards: Boards, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._boards = model, boards
        holder = QWidget(self)  # made first, since Tab goes by that
        self._fields: dict[str, BoardField] = {}
        self.link = LineEdit(icon="link")
        self.link.setInputMethodHints(Qt.InputMethodHint.ImhUrlCharactersOnly)
        level = QWidget()  # labels are at one height, although only that of the boards has a button
        level.setFixedSize(1, LinkButton("").sizeHint().height())
        self._link_field = Field(tr("Pinterest link"), self.link, _HELP, trailing=level)
        self._pickers = QVBoxLayout(holder)
        self._pickers.setContentsMargins(0, 0, 0, 0)
        self._pickers.setSpacing(10)
        row = Reflow((1, 1), gap=8)
        for place, part in enumerate((holder, self._link_field)):  # of one width, whatever is said in them
            part.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            row.add(part, 0, place)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(row)
        self.link.textChanged.connect(self._link_edited)
        self.hide()

    def refresh(self) -> None:
        """Request the boards of the selected Pinterest accounts, and show the draft's choices."""
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
        """Show the problem with the link, if any."""
        self._link_field.set_error(self._model.link_problem)

    def focus_link(self) -> None:
        """Focus the link."""
        self.link.setFocus()

    def field(self, account_key: str) -> BoardField:
        """Return the field of an account; raises KeyError unless it's a selected Pinterest account."""
        return self._fields[account_key]

    def focus_board(self, account_key: str) -> None:
        """Focus an account's board."""
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


class TikTokFields(QWidget):
    """Hidden without TikTok accounts, if the service stores no TikTok options, and for posts by hand."""

    def __init__(self, model: DraftModel, tiktok: TikTok, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._tiktok = model, tiktok
        self._fields: dict[str, TikTokField] = {}
        self._asks, self._asked = False, set[str]()
        self._scope = TaskScope(self)
        self.note = Label("", "card", "text2", wrap=True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(16)
        self._column.addWidget(self.note)
        self.hide()

    @property
    def is_outdated(self) -> bool:
        """Whether the service's support for TikTok options has changed since ``refresh``."""
        return self._asks is not self._model.asks_tiktok

    def refresh(self) -> None:
        """Request the options of the selected TikTok accounts, and show the draft's choices."""
        self._asks = self._model.asks_tiktok
        tiktok = (one for one in self._model.chosen if one.platform is ConnectionPlatform.TIKTOK)
        wanted = {one.key: one for one in tiktok if not self._model.is_by_hand(one.key)}
        self._scope.start(self._ask_inboxes(wanted if self._asks else {}))
        inboxes = [key for key in wanted if self._asks and self._model.goes_to_inbox(key)]
        self.note.setText(_inbox_note([wanted[key].name for key in inboxes] if len(wanted) > 1 else []))
        self.note.setVisible(bool(inboxes))
        shown = {key: one for key, one in wanted.items() if self._asks and key not in inboxes}
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
        self.setVisible(bool(self._fields) or bool(inboxes))

    async def _ask_inboxes(self, keys: Iterable[str]) -> None:
        """Ask once for each account where its posts go."""
        for key in [one for one in keys if one not in self._asked]:
            self._asked.add(key)
            known = await self._tiktok.known_account(key)
            self._model.learn_inbox(key, goes_to_inbox=known is not None and known.inbox)

    def field(self, account_key: str) -> TikTokField:
        """Return the field of an account; raises KeyError unless it's a selected TikTok account."""
        return self._fields[account_key]

    def focus_audience(self, account_key: str) -> None:
        """Focus the audience of an account's post."""
        if account_key in self._fields:
            self._fields[account_key].focus_privacy()

    def focus_disclosure(self, account_key: str) -> None:
        """Focus the disclosure of an account's post."""
        if account_key in self._fields:
            self._fields[account_key].focus_commercial()

    def _add(self, key: str) -> None:
        field = TikTokField(self._tiktok, key, self._model.tiktok_for(key))
        field.changed.connect(lambda: self._model.choose_tiktok(key, field.draft()))
        field.answered.connect(partial(self._model.learn_creator, key))
        self._fields[key] = field
        self._column.addWidget(field)


def _inbox_note(names: Sequence[str]) -> str:
    """Return the sentence about posts for the inbox, which names their accounts if there are others."""
    if names:
        whose = ", ".join(names)
        return tr(
            "Posts of {accounts} go to your TikTok inbox. You finish them in TikTok's app.", accounts=whose
        )
    return tr("The post goes to your TikTok inbox. You finish it in TikTok's app.")


class OptionsFields(QWidget):
    """The options of the selected accounts; hidden if there are none."""

    def __init__(self, model: DraftModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._fields: dict[str, OptionsField] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(16)
        self.hide()

    def refresh(self) -> None:
        """Show a field for each account, with the draft's choices."""
        shown = {one.key: one for one in self._model.chosen if options_of(posting_platform(one))}
        for key in self._fields.keys() - shown.keys():
            gone = self._fields.pop(key)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for key, account in shown.items():
            if key not in self._fields:
                self._add(key, options_of(posting_platform(account)))
            self._fields[key].set_options(self._model.options_for(key))
            self._fields[key].name_for(account.name if len(shown) > 1 else "")
        self.setVisible(bool(shown))

    def field(self, account_key: str) -> OptionsField:
        """Return the field of an account. Raises KeyError if it has none."""
        return self._fields[account_key]

    def _add(self, key: str, taken: Collection[str]) -> None:
        field = OptionsField(taken)
        field.changed.connect(lambda: self._model.choose_options(key, field.options()))
        self._fields[key] = field
        self._column.addWidget(field)
