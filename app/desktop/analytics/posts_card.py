"""The card with the posts of the span, the best or the worst of them first."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout

from app.desktop.analytics.post_table import PLACE, PostModel, PostTable
from app.desktop.analytics.wording import DASH
from app.desktop.widgets import EmptyState, Label, Panel, Reflow, Segmented, line_of
from app.language import number as written
from app.language import tr
from app.workspace.analytics.dashboard import Choice, posts
from app.workspace.analytics.dataset import COUNTED, Dataset, Figure

_INSET: Final = 16
_COUNT: Final = {
    Figure.VIEWS: tr("{n} published, by views"),
    Figure.LIKES: tr("{n} published, by likes"),
    Figure.COMMENTS: tr("{n} published, by comments"),
    Figure.SHARES: tr("{n} published, by shares"),
}


class PostsCard(Panel):
    """``chosen`` tells of the item that is looked at, ``opened`` of one that is wanted as a whole."""

    chosen = Signal(object)
    """The place of an item in the dataset; None for none."""
    opened = Signal()

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.model = PostModel(zone)
        self.table = PostTable(self.model)
        self.count, self.key = Label("", "card", "text3"), Label("", "card", "text3")
        self.order = Segmented((("best", tr("Best")), ("worst", tr("Worst"))), tr("Sort posts"))
        self.nothing = EmptyState("send", tr("Nothing was published in this period."))
        self._stack = QStackedWidget()
        self._data: Dataset | None = None
        self._choice: Choice | None = None
        self._figure = Figure.VIEWS
        self._is_arranging = self._is_own = False
        self._arranged: tuple[Choice, Figure, bool] | None = None
        self.setAccessibleName(tr("Posts"))
        self._lay_out()
        self.order.selected.connect(lambda _key: self._arrange(stays=False))
        self.table.sort_asked.connect(self._sort)
        self.table.opened.connect(self.opened)
        self.table.doubleClicked.connect(lambda _index: self.opened.emit())
        self.table.selectionModel().currentChanged.connect(lambda new, _old: self._choose(new))

    @property
    def place(self) -> int | None:
        """The place of the item that is looked at."""
        index = self.table.currentIndex()
        return int(index.data(PLACE)) if index.isValid() else None

    def show_for(self, data: Dataset, choice: Choice, figure: Figure) -> None:
        """List the posts of the selection; followers aren't a figure of posts."""
        self._data, self._choice = data, choice
        if figure in COUNTED:
            self._figure = figure
        self._arrange()

    def _sort(self, figure: Figure) -> None:
        if figure is self._figure:
            self.order.set_value("worst" if self.order.value() == "best" else "best")
        else:
            self._figure = figure
            self._arrange(stays=False)

    def _arrange(self, *, stays: bool = True) -> None:
        """``stays``: at the post that somebody chose to look at, where it still is there."""
        if self._data is None or self._choice is None:
            return
        self._is_own &= stays
        before, best_first = self.place if self._is_own else None, self.order.value() == "best"
        found = posts(self._data, self._choice, self._figure, best_first=best_first)
        arranged, bar = (self._choice, self._figure, best_first), self.table.verticalScrollBar()
        top = bar.value() if arranged == self._arranged else 0
        self._arranged = arranged
        self.model.show(self._data, found, self._figure, best_first=best_first)
        self.count.setText(_COUNT[self._figure].format(n=written(len(found))))
        self._stack.setCurrentWidget(self.table if found else self.nothing)
        row = self.model.row_of(before) if before is not None else -1
        self._is_arranging = True
        if found:
            self.table.setCurrentIndex(self.model.index(max(row, 0), 0))
        else:
            self.chosen.emit(None)
        if top:
            bar.setValue(top)  # there are other numbers, and nobody asked for another list
        self._is_arranging = False

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._is_own |= not self._is_arranging
            self.chosen.emit(int(index.data(PLACE)))

    def _lay_out(self) -> None:
        self.key.setText(tr("{dash} not reported by the platform", dash=DASH))
        head = Reflow((1, 0), gap=8)
        head.setContentsMargins(_INSET, 0, 10, 0)
        head.add(line_of(Label(tr("Posts"), "strong"), self.count, None), 0, 0)
        head.add(line_of(self.key, self.order, None), 0, 1)
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.nothing)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 8, 1, 4)
        column.setSpacing(4)
        column.addWidget(head)
        column.addWidget(self._stack, 1)
