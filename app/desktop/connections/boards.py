"""The boards of a Pinterest account: cached ones immediately, current ones soon after."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.desktop.aio import TaskScope
from app.desktop.theme import icons, theme
from app.desktop.theme.theme import grow_icons
from app.desktop.widgets import (
    Button,
    Divider,
    EmptyState,
    IconButton,
    Label,
    Sheet,
    Skeleton,
    StateStrip,
)
from app.desktop.widgets.keyed_list import KeyedList
from app.desktop.widgets.painting import insets
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.editing.boards import Board, Boards
from app.workspace.messages import Problem

_WIDTH, _LIST_HEIGHT, _EMPTY_HEIGHT, _SPACING = 440, 320, 160, 5
_NONE = tr("This account has no boards yet. Create one on Pinterest; every pin needs a board.")


class BoardSheet(Sheet):
    """A read-only list; ``counted`` is emitted when the number of boards is known."""

    counted = Signal(str, int)
    """The account's key, and how many boards it has."""

    def __init__(self, host: QWidget, boards: Boards, account: Account) -> None:
        super().__init__(host, tr("{name}'s boards", name=account.name), _WIDTH)
        self._boards, self._account = boards, account
        self._scope = TaskScope(self, self._show_problem)
        self._count = Label("", "text", "text2")
        self.again = IconButton("refresh-cw", tr("Refresh"), key="F5")
        self.again.setEnabled(False)
        self.list = KeyedList()
        self.strip, self.failed = StateStrip(), EmptyState("triangle-alert", "", tr("Try again"))
        self._empty = EmptyState("layout-grid", _NONE)
        self._pages = QStackedWidget()
        self._lay_out()
        for ask in (self.again.clicked, self.strip.acted, self.failed.acted):
            ask.connect(self.refresh)
        self._scope.start(self._begin())

    def names(self) -> list[str]:
        """Return the names of the listed boards."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def refresh(self) -> None:
        """Ask Pinterest again."""
        self.again.setEnabled(False)
        self._scope.start(self._ask())

    async def _begin(self) -> None:
        known = await self._boards.known(self._account.key)
        if known is not None:
            self._show(known)
        self.refresh()

    async def _ask(self) -> None:
        self._show(await self._boards.ask(self._account.key))
        self.again.setEnabled(True)
        self.strip.say("")

    def _show(self, boards: Iterable[Board]) -> None:
        self.list.list_items({board.id: board for board in boards}, _show_board)
        total = self.list.count()
        self._count.setText(trn("{n} board", "{n} boards", total))
        self._pages.setCurrentWidget(self.list if total else self._empty)
        self._fit_pages()
        self.counted.emit(self._account.key, total)

    def _fit_pages(self) -> None:
        """Give the page its height at the current text size."""
        grown = theme.current().grown
        if self._pages.currentWidget() is self._empty:
            least = self._empty.heightForWidth(grown(_WIDTH))
            self._pages.setFixedHeight(max(grown(_EMPTY_HEIGHT), least))
        elif total := self.list.count():
            row = self.list.sizeHintForRow(0) + 2 * _SPACING
            self._pages.setFixedHeight(min(_LIST_HEIGHT, total * row + 2 * _SPACING))

    def _show_problem(self, problem: Problem) -> None:
        self.again.setEnabled(True)
        if self._pages.currentIndex() == 1:
            text = tr("{problem} Showing the last known boards.", problem=problem.text)
            self.strip.say_problem(text, problem.kind)
        else:
            self.failed.set_text(problem.text)
            self._pages.setCurrentIndex(2)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(insets(24, 20, 16, 12))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Label(self.accessibleName(), "section", wrap=True))
        words.addWidget(self._count)
        head.addLayout(words, 1)
        head.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        self.again.setShortcut("F5")
        self.list.setAccessibleName(self.accessibleName())
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setProperty("bare", True)
        self.list.setSpacing(_SPACING)
        self.list.setUniformItemSizes(True)
        grow_icons(self.list)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for page in (Skeleton(6), self.list, self.failed, self._empty):
            self._pages.addWidget(page)
        self._pages.setFixedHeight(_LIST_HEIGHT)
        theme.follow(self._fit_pages)
        middle = QVBoxLayout()
        middle.setContentsMargins(16, 0, 16, 12)
        middle.setSpacing(8)
        middle.addWidget(self.strip)
        middle.addWidget(self._pages)
        close = Button(tr("Close"), key_hint="Esc")
        close.clicked.connect(self.dismiss)
        foot = QHBoxLayout()
        foot.setContentsMargins(insets(12, 12, 24, 12))
        foot.addStretch(1)
        foot.addWidget(close)
        self.layout_.addLayout(head)
        self.layout_.addLayout(middle)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(foot)


def _show_board(item: QListWidgetItem, board: Board) -> None:
    item.setIcon(icons.icon("lock" if board.is_secret else "layout-grid", "text3"))
    item.setText(board.name)
    spoken = tr("{name}, secret", name=board.name) if board.is_secret else board.name
    item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
