"""The cards of posts: the best or the worst of them, and one post's figures and growth."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.analytics.card import ChartCard
from app.desktop.analytics.post_table import PLACE, PostModel, PostTable
from app.desktop.analytics.wording import (
    DASH,
    NAMES,
    headline,
    number,
    published,
    source_name,
)
from app.desktop.charts.hover import HoverRow
from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.scale import Axis, Stroke, Values, last_known, short_number
from app.desktop.opening import open_page
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import (
    Divider,
    ElidedLabel,
    EmptyState,
    IconLabel,
    Label,
    Panel,
    Reflow,
    Segmented,
    line_of,
    order_tabs,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.desktop.words import platform_name
from app.language import mid_sentence, tr
from app.language import number as written
from app.workspace.analytics.counts import Curve
from app.workspace.analytics.dashboard import Choice, posts
from app.workspace.analytics.dataset import COUNTED, Dataset, Figure, Item

_INSET: Final = 16


_COUNT: Final = {
    Figure.VIEWS: tr("{n} published, by views"),
    Figure.LIKES: tr("{n} published, by likes"),
    Figure.COMMENTS: tr("{n} published, by comments"),
    Figure.SHARES: tr("{n} published, by shares"),
}


class PostsCard(Panel):
    """``chosen`` emits the inspected item, ``opened`` the post to open."""

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
        """The place of the inspected item."""
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
        """List the posts. ``stays``: keep the post that the user selected, if it's still listed."""
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
        for widget in (self.key, self.order):
            widget.setVisible(bool(found))
        row = self.model.row_of(before) if before is not None else -1
        self._is_arranging = True
        if found:
            self.table.setCurrentIndex(self.model.index(max(row, 0), 0))
        else:
            self.chosen.emit(None)
        if top:
            bar.setValue(top)  # only the numbers changed, not the selection of the list
        self._is_arranging = False

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._is_own |= not self._is_arranging
            self.chosen.emit(int(index.data(PLACE)))

    def _lay_out(self) -> None:
        self.key.setText(tr("{dash} not reported by the platform", dash=DASH))
        head = Reflow((1, 0), gap=8)
        head.setContentsMargins(insets(_INSET, 0, 10, 0))
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


_SINCE: Final = {
    Figure.VIEWS: tr("Views since publishing"),
    Figure.LIKES: tr("Likes since publishing"),
    Figure.COMMENTS: tr("Comments since publishing"),
    Figure.SHARES: tr("Shares since publishing"),
    Figure.FOLLOWERS: tr("Followers since publishing"),
}


class PostCard(ChartCard):
    """Shows an item; its curve arrives a moment later."""

    opened = Signal(str)
    """The key of a post to open."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._item: Item | None = None
        self._curve: Curve | None = None
        self._figure, self._color_index, self._page = Figure.VIEWS, 0, ""
        self.plot = LinePlot(_SINCE[Figure.VIEWS], short_number)
        chart = QWidget()
        room = QVBoxLayout(chart)
        room.setContentsMargins(8, 0, 8, 0)
        room.addWidget(self.plot)
        super().__init__(_SINCE[Figure.VIEWS], chart)
        self.headline, self.account = ElidedLabel("", "strong"), ElidedLabel("", "card", "text2")
        self.when, self._glyph = Label("", "card", "text3"), IconLabel("globe", "text2", 12)
        self.open_button = secondary(tr("Open the post"), "calendar-days", "small")
        self.look_button = secondary("", "external-link", "small")
        self.numbers = {figure: Label(DASH, "strong") for figure in COUNTED}
        self._lay_out()
        order_tabs(self.switch, self.open_button, self.look_button)
        order_tabs(self.open_button, self.look_button, self.switch)
        self.plot.asked.connect(self._tell)
        self.open_button.clicked.connect(self.open)
        self.look_button.clicked.connect(lambda: open_page(self._page))

    @property
    def _color(self) -> str:
        return theme.current().tokens.account(self._color_index)

    def restyle(self) -> None:
        """Draw the curve in the current colours."""
        if self._item is not None:
            self._draw()

    def open(self) -> None:
        """Request to open the post."""
        if self._item is not None and self._item.post_key is not None:
            self.opened.emit(self._item.post_key)

    def show_item(self, data: Dataset, place: int, figure: Figure) -> None:
        """Show an item; its curve isn't known yet, unless it's the previous item."""
        item, source = data.items[place], data.sources[data.item_source[place]]
        is_other = item != self._item or figure is not self._figure
        self._item, self._figure = item, figure
        self._color_index = source.color_index
        self.headline.setText(headline(item))
        self.account.setText(source_name(source))
        self._glyph.set_icon(platform_icon(item.platform), self._color)
        self.when.setText(published(item, self._zone, year=True))
        self.open_button.setVisible(item.post_key is not None)
        self.show_page("")
        for one, label in self.numbers.items():
            label.setText(number(data.totals[one.place][place]))
        self.set_title(_SINCE[figure])
        self.plot.setAccessibleName(self.title.text())
        if is_other:
            self._curve = None
            self._draw()

    def show_curve(self, item: Item, curve: Curve) -> None:
        """Show the growth of the shown item; ignored for another one, which is outdated."""
        if item == self._item:
            self._curve = curve
            self._draw()

    def show_page(self, page: str) -> None:
        """Offer the public link of the post; "" for none."""
        self._page = page
        self.look_button.setVisible(bool(page))
        if self._item is not None:
            self.look_button.setText(tr("Open on {platform}", platform=platform_name(self._item.platform)))
            self.look_button.updateGeometry()

    def _draw(self) -> None:
        curve = self._curve
        if curve is None or not curve.own:
            self.note.setText("" if curve is None else tr("no samples"))
            self.plot.show_lines((), Axis(1, ()))
            self.table.figures.show_cells([tr("Day"), NAMES[self._figure]], 0, lambda _row, _column: "")
            return
        self.note.setText("")
        own_end = tr("{value} this post", value=_last(curve.own))
        strokes = [Stroke(tr("This post"), self._color, curve.own, is_filled=True, end=own_end)]
        if curve.posts > 1:
            end = tr("{value} account median", value=_last(curve.median))
            median = Stroke(tr("Account median"), "text3", curve.median, is_dashed=True, end=end)
            strokes.insert(0, median)
        days = max(2, len(curve.own))
        step = max(1, -(-days // 6))
        names = [
            (place, tr("Day {place}", place=place) if not place else str(place))
            for place in range(0, days, step)
        ]
        self.plot.show_lines(strokes, Axis(days, names))
        self.table.figures.show_cells(
            [tr("Day"), NAMES[self._figure], tr("Account median")],
            len(curve.own),
            lambda *at: _cell(curve, *at),
        )

    def _tell(self, place: int | None) -> None:
        if place is None or self._curve is None:
            return
        rows = [HoverRow(self._color, tr("This post"), _value(self._curve.own, place))]
        if self._curve.posts > 1:
            rows.append(HoverRow("text3", tr("Account median"), _value(self._curve.median, place)))
        self.plot.tell(tr("Day {place}", place=place), mid_sentence(NAMES[self._figure]), rows)

    def _lay_out(self) -> None:
        top = QVBoxLayout()
        top.setContentsMargins(_INSET, 4, _INSET, 6)
        top.setSpacing(6)
        top.addWidget(self.headline)
        facts = QHBoxLayout()
        facts.setSpacing(6)
        facts.addWidget(self._glyph)
        facts.addWidget(self.account, 1)
        facts.addWidget(self.when)
        top.addLayout(facts)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.open_button, self.look_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        top.addLayout(buttons)
        top.addWidget(Divider(inner=True))
        top.addWidget(self._figures())
        top.addWidget(Divider(inner=True))
        self.column.insertLayout(0, top)

    def _figures(self) -> QWidget:
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        for column, (figure, label) in enumerate(self.numbers.items()):
            grid.addWidget(label, 0, column)
            grid.addWidget(Label(mid_sentence(NAMES[figure]), "small", "text3"), 1, column)
            grid.setColumnStretch(column, 1)
        return holder


def _last(values: Values) -> str:
    return _value(values, last_known(values) or 0)


def _value(values: Values, place: int) -> str:
    value = values[place] if place < len(values) else None
    return DASH if value is None else number(round(value))


def _cell(curve: Curve, row: int, column: int) -> str:
    return str(row) if not column else _value((curve.own, curve.median)[column - 1], row)
