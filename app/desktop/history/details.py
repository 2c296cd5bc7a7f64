"""The details of a published post: picture, text, metrics, growth in the first week, and actions."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.contract.history import ContentRecord
from app.desktop.aio import TaskScope, ignore
from app.desktop.charts.hover import HoverRow
from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.scale import Axis, Stroke, Values, short_number
from app.desktop.history.model import BY_USER, Lookup
from app.desktop.history.wording import count, headline, moment_words, says_more, status_tip, status_words
from app.desktop.kit.post_preview import PostPreview
from app.desktop.media.cover import Cover
from app.desktop.opening import open_page
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow
from app.desktop.widgets import Divider, IconButton, Label, Menu, Reflow, Tag, primary, secondary
from app.desktop.words import platform_name, utc_offset
from app.language import mid_sentence, number, sentence_start, tr, trn
from app.workspace.analytics.counts import Counts, Curve
from app.workspace.workspace import Workspace

_NAMES: Final = (tr("Views"), tr("Likes"), tr("Comments"), tr("Shares"))


class Figures(QWidget):
    """Metrics; hidden without any. A dash for what the platform doesn't report."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = [Label("", "section") for _ in _NAMES]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        grid.addWidget(Divider(inner=True), 0, 0, 1, len(_NAMES))
        for column, (label, name) in enumerate(zip(self.numbers, _NAMES, strict=True)):
            label.setContentsMargins(0, 8, 0, 0)
            grid.addWidget(label, 1, column)
            grid.addWidget(Label(mid_sentence(name), "small", "text3"), 2, column)
            grid.setColumnStretch(column, 1)
        self.hide()

    def show_counts(self, counts: Counts) -> None:
        """Show a post's latest metrics."""
        for label, value in zip(self.numbers, counts, strict=True):
            label.setText(count(value))
        self.setVisible(any(value is not None for value in counts))


_DAYS: Final = 7
_HEIGHT: Final = 132
_LEAST: Final = 2
"""Samples that make a line."""
_STEP: Final = 2
"""Days from one name below the chart to the next."""
_FIRST_WEEK: Final = tr("First week")
_GONE: Final = tr("Not in your calendar.")


class GrowthChart(QWidget):
    """The curve of the first week; hidden with too few samples for a line. There is one sample a day."""

    days = _DAYS

    def __init__(self) -> None:
        super().__init__()
        self._curve: Curve | None = None
        self._color_index: int | None = None
        self.title = Label("", "card", "text2")
        self.plot = LinePlot(_FIRST_WEEK, short_number)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        grow(self.plot, QWidget.setFixedHeight, _HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (Divider(inner=True), self.title, self.plot):
            column.addWidget(part)
        self.plot.asked.connect(self._tell)
        theme.follow(self._draw)
        self.hide()

    def clear(self) -> None:
        """Hide the curve until another one arrives."""
        self._curve = None
        self.hide()

    def show_curve(self, curve: Curve, color_index: int | None) -> None:
        """Show a post's curve in its account's color; None if the account is unknown."""
        self._curve, self._color_index = curve, color_index
        self._draw()

    @property
    def _has_usual(self) -> bool:
        return self._curve is not None and self._curve.posts > 1

    @property
    def _color(self) -> str:
        index = self._color_index
        return "text2" if index is None else theme.current().tokens.account(index)

    def _draw(self) -> None:
        curve = self._curve
        known = [value for value in curve.own if value is not None] if curve is not None else []
        self.setVisible(len(known) >= _LEAST and max(known) > 0)
        if curve is None or self.isHidden():
            return
        strokes = [Stroke(tr("This post"), self._color, curve.own, is_filled=True)]
        if self._has_usual:
            strokes.insert(0, Stroke(tr("Your usual post"), "text3", curve.median, is_dashed=True))
        title = tr("First week, next to your usual post") if self._has_usual else _FIRST_WEEK
        self.title.setText(title)
        self.plot.setAccessibleName(title)
        names = [
            (day, str(day) if day else tr("Day {place}", place=day)) for day in range(0, _DAYS + 1, _STEP)
        ]
        self.plot.show_lines(strokes, Axis(_DAYS + 1, names), _summary(curve))

    def _tell(self, place: int | None) -> None:
        curve = self._curve
        if place is None or curve is None:
            return
        rows = [HoverRow(self._color, tr("This post"), _value(curve.own, place))]
        if self._has_usual:
            rows.append(HoverRow("text3", tr("Your usual post"), _value(curve.median, place)))
        self.plot.tell(tr("Day {place}", place=place), mid_sentence(tr("Views")), rows)


def _summary(curve: Curve) -> str:
    last = len(curve.own) - 1
    views = round(curve.own[last] or 0)
    own = trn("{n} view on day {day}.", "{n} views on day {day}.", views, n=number(views), day=last)
    usual = curve.median[last] if curve.posts > 1 else None
    if usual is None:
        return own
    compared = tr("Your usual post: {n}.", n=number(round(usual)))
    return f"{own} {compared}"


def _value(values: Values, place: int) -> str:
    value = values[place] if place < len(values) else None
    return count(None if value is None else round(value))


class Details(PostPreview):
    """Shows a record."""

    post_opened = Signal(str)
    """The key of a post to show with everything about it."""
    post_revealed = Signal(str)
    """The key of a post to show in the calendar."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, lookup: Lookup) -> None:
        self._workspace, self._zone, self._lookup = workspace, zone, lookup
        self._record: ContentRecord | None = None
        self._page = ""
        self.cover = Cover(workspace.media)
        super().__init__(self.cover)
        self._scope = TaskScope(self, ignore)  # the record shows without its page and its growth
        self.figures = Figures()
        self.growth = GrowthChart()
        self.source, self.gone = Label("", "card", "text3"), Label(_GONE, "card", "text3", wrap=True)
        self.more = IconButton("ellipsis", tr("More"), size="small")
        self.look = primary("", "external-link")
        self.reveal = secondary(tr("Show in calendar"))
        self._lay_out()
        self._connect()

    def show_record(self, place: int, record: ContentRecord, counts: Counts) -> None:
        """Show a record with its latest metrics; for the current record, update only these."""
        self.figures.show_counts(counts)
        self._show_post(record)
        if record != self._record:
            self._record = record
            self.setAccessibleName(tr("About {headline}", headline=headline(record)))
            title = record.title or ""
            self.show_words(title, record.description or ("" if title else tr("No text")))
            self._show_page(record, self._lookup.page(record))
            self.growth.clear()
            self._scope.cancel()
            self._scope.start(self._ask_for_page(record))
        self._scope.start(self._show_growth(place, record))

    def menu(self) -> Menu:
        """Return the menu of rarely used actions: the whole post, and its IDs."""
        menu = Menu(self.more)
        record = self._record
        if record is None:
            return menu
        if (post := self._lookup.post(record)) is not None:
            menu.add(tr("Open the post"), lambda: self.post_opened.emit(post.key), icon="calendar-days")
        if self._page:
            menu.add(tr("Copy link"), lambda: _copy(self._page), icon="link")
        menu.add(tr("Copy platform ID"), lambda: _copy(record.content_id), icon="copy")
        if record.batch_id:
            batch_id = record.batch_id
            menu.add(tr("Copy batch ID"), lambda: _copy(batch_id), icon="copy")
        if record.media_url:
            address = str(record.media_url)
            menu.add(tr("Copy file address"), lambda: _copy(address), icon="copy")
        return menu

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is loading."""
        return not self._scope.is_busy and self.cover.is_at_rest

    def _show_post(self, record: ContentRecord) -> None:
        lookup = self._lookup
        post, account = lookup.post(record), lookup.account(record)
        self.reveal.setVisible(post is not None)
        self.gone.setVisible(post is None)
        source = lookup.surprising_source(record)
        usual = tr("From this calendar") if lookup.source(record) else tr("Published by Kalends")
        self.source.setText(tr("Published {source}", source=source) if source else usual)
        self.cover.show_stored(lookup.file(record))
        moment = lookup.moment(record)
        when = f"{moment_words(moment)} ({utc_offset(moment)})"
        status = sentence_start(status_words(record)) if says_more(record) else ""
        color = theme.current().tokens.account(account.color_index) if account is not None else "text2"
        self.clear_facts()
        tags = (Tag(status, "warn"),) if status else ()
        for tag in tags:
            tag.setToolTip(status_tip(record))
        self.add_fact(platform_icon(record.platform.value), color, lookup.account_name(record), *tags)
        self.add_fact("clock", "text3", when)

    def _show_page(self, record: ContentRecord, page: str) -> None:
        self._page = page
        platform = platform_name(record.platform.value)
        self.look.setText(
            tr("Open on practice {platform}", platform=platform)
            if self._workspace.practice
            else tr("Open on {platform}", platform=platform)
        )
        self.look.updateGeometry()
        self.look.setVisible(bool(page))

    async def _show_growth(self, place: int, record: ContentRecord) -> None:
        curve = await self._workspace.analytics.growth(place, self.growth.days)
        account = self._lookup.account(record)
        self.growth.show_curve(curve, account.color_index if account is not None else None)

    async def _ask_for_page(self, record: ContentRecord) -> None:
        answer = await self._lookup.ask(record)
        if answer.page:
            self._show_page(record, answer.page)
        if answer.by_user:  # also from the user's inbox on the platform, which only the attempts tell
            self.source.setText(tr("Published {source}", source=BY_USER))

    def _reveal(self) -> None:
        post = self._lookup.post(self._record) if self._record else None
        if post is not None:
            self.post_revealed.emit(post.key)

    def _open_menu(self) -> None:
        self.menu().open_below(self.more)

    def _show_alt_text(self, words: str) -> None:
        self.show_alt_text(tr("Alt text: {text}", text=words) if words else "")

    def _connect(self) -> None:
        self.cover.described.connect(self._show_alt_text)
        self.more.clicked.connect(self._open_menu)
        self.look.clicked.connect(lambda: open_page(self._page))
        self.reveal.clicked.connect(self._reveal)

    def _lay_out(self) -> None:
        self.show_alt_text("")
        self.body.addWidget(self.figures)
        self.body.addWidget(self.growth)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.source)
        line.addStretch(1)
        line.addWidget(self.more)
        self.foot.addLayout(line)
        self.foot.addWidget(self.gone)
        buttons = Reflow((1, 1), gap=8)
        buttons.add(self.look, 0, 0)
        buttons.add(self.reveal, 0, 1)
        self.foot.addWidget(buttons)


def _copy(words: str) -> None:
    QGuiApplication.clipboard().setText(words)
