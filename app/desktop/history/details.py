"""A published post: its picture and words, how it did, and the ways on from it."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.contract.history import ContentRecord
from app.desktop.aio import TaskScope, ignore
from app.desktop.history.growth import GrowthChart
from app.desktop.history.lookup import Lookup
from app.desktop.history.wording import count, headline, moment_words, says_more, status_words
from app.desktop.kit.post_preview import PostPreview
from app.desktop.media.cover import Cover
from app.desktop.opening import open_page
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import Divider, IconButton, Label, Menu, Reflow, Tag, primary, secondary
from app.desktop.words import platform_name, utc_offset
from app.language import mid_sentence, sentence_start, tr
from app.workspace.analytics.counts import Counts
from app.workspace.workspace import Workspace

_GONE: Final = tr("Not in your calendar.")
_NAMES: Final = (tr("Views"), tr("Likes"), tr("Comments"), tr("Shares"))


class Details(PostPreview):
    """Shows the record that it's given."""

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
        self.numbers = [Label("", "section") for _ in _NAMES]
        self._figures = QWidget()
        self.growth = GrowthChart()
        self.source, self.gone = Label("", "card", "text3"), Label(_GONE, "card", "text3", wrap=True)
        self.more = IconButton("ellipsis", tr("More"), size="small")
        self.look = primary("", "external-link")
        self.reveal = secondary(tr("Show in calendar"))
        self._lay_out()
        self._connect()

    def show_record(self, place: int, record: ContentRecord, counts: Counts) -> None:
        """Show a record with its last counts; the same record again only renews its numbers."""
        self._show_counts(counts)
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
        """Return what few people need: the whole post, and its ids."""
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

    def _show_counts(self, counts: Counts) -> None:
        for label, value in zip(self.numbers, counts, strict=True):
            label.setText(count(value))
        self._figures.setVisible(any(value is not None for value in counts))

    def _show_post(self, record: ContentRecord) -> None:
        lookup = self._lookup
        post, account = lookup.post(record), lookup.account(record)
        self.reveal.setVisible(post is not None)
        self.gone.setVisible(post is None)
        source = lookup.source(record)
        self.source.setText(tr("Published {source}", source=source) if source else tr("Published by Kalends"))
        self.cover.show_stored(lookup.file(record))
        moment = lookup.moment(record)
        when = f"{moment_words(moment)} ({utc_offset(moment)})"
        status = sentence_start(status_words(record)) if says_more(record) else ""
        color = theme.current().tokens.account(account.color_index) if account is not None else "text2"
        self.clear_facts()
        tags = (Tag(status, "warn"),) if status else ()
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
        if page := await self._lookup.find_page(record):
            self._show_page(record, page)

    def _reveal(self) -> None:
        post = self._lookup.post(self._record) if self._record else None
        if post is not None:
            self.post_revealed.emit(post.key)

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _show_alt_text(self, words: str) -> None:
        self.show_alt_text(tr("Alt text: {text}", text=words) if words else "")

    def _connect(self) -> None:
        self.cover.described.connect(self._show_alt_text)
        self.more.clicked.connect(self._open_menu)
        self.look.clicked.connect(lambda: open_page(self._page))
        self.reveal.clicked.connect(self._reveal)

    def _lay_out(self) -> None:
        self.show_alt_text("")
        figures = QGridLayout(self._figures)
        figures.setContentsMargins(0, 0, 0, 0)
        figures.setVerticalSpacing(0)
        figures.addWidget(Divider(inner=True), 0, 0, 1, len(_NAMES))
        for column, (label, name) in enumerate(zip(self.numbers, _NAMES, strict=True)):
            label.setContentsMargins(0, 8, 0, 0)
            figures.addWidget(label, 1, column)
            figures.addWidget(Label(mid_sentence(name), "small", "text3"), 2, column)
            figures.setColumnStretch(column, 1)
        self.body.addWidget(self._figures)
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
