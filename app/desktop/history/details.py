"""Everything about one piece of content, and the ways on from it."""

from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.contract.history import ContentRecord
from app.desktop.aio import TaskScope, ignore
from app.desktop.history.wording import (
    headline,
    kind_name,
    long_moment,
    numbers,
    page_of,
    status_words,
    via_name,
)
from app.desktop.media.shown_file import ShownFile
from app.desktop.opening import open_page
from app.desktop.theme.growing import grow
from app.desktop.widgets import (
    Divider,
    ElidedLabel,
    IconButton,
    Label,
    More,
    Panel,
    clear,
    scrolled,
    secondary,
)
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.workspace import Workspace

WIDTH: Final = 312
WIDEST: Final = 440
_INSET: Final = 16
_COPIED_MS: Final = 2_000
_GONE: Final = tr("This post isn't in your calendar: it was deleted or created elsewhere.")


class Details(Panel):
    """Shows the record that it is given."""

    post_opened = Signal(str)
    """The key of the post that the content came from."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__()
        self._workspace, self._zone = workspace, zone
        self._record: ContentRecord | None = None
        self._page = ""
        self._scope = TaskScope(self, ignore)  # what more could be known is an extra
        self.title, self.text = Label("", "strong", wrap=True), Label("", "text", wrap=True)
        self.numbers = Label("", "card", "text2", wrap=True)
        self.file, self.more = ShownFile(workspace.media), More()
        self.content_id = ElidedLabel("", "mono", "text2", elide="middle")
        self.copy = IconButton("copy", tr("Copy ID"), size="small")
        self.post = secondary(tr("Open the post"), "calendar-days")
        self.look = secondary("", "external-link")
        self.gone = Label(_GONE, "small", "text3", wrap=True)
        self._facts, self._ids, self._copied = QGridLayout(), QGridLayout(), QTimer(self)
        self._lay_out()
        self._connect()

    def show_record(self, record: ContentRecord) -> None:
        """Show a record; the same one again changes nothing."""
        if record == self._record:
            self._show_post(record)
            return
        self._record = record
        self.setAccessibleName(tr("About {headline}", headline=headline(record)))
        self.title.setText(record.title or "")
        self.title.setVisible(bool(record.title))
        self.text.setText(record.description or ("" if record.title else tr("No text")))
        self.content_id.setText(record.content_id)
        self.numbers.hide()
        self._show_facts(record)
        self._show_post(record)
        self._show_page(record, page_of(record, practice=self._workspace.practice))
        self._scope.cancel()
        self._scope.start(self._show_numbers(record))
        self._scope.start(self._ask_for_post(record))

    def _show_post(self, record: ContentRecord) -> None:
        key = self._workspace.published.post_key(record)
        self.post.setVisible(key is not None)
        self.gone.setVisible(key is None)

    def _show_facts(self, record: ContentRecord) -> None:
        for grid in (self._facts, self._ids):
            clear(grid)
        is_own = self._workspace.published.is_own(record)
        told = (
            (tr("Published"), long_moment(record, self._zone)),
            (tr("Platform"), platform_name(record.platform.value)),
            (tr("Created via"), "Kalends" if is_own else via_name(record.created_via.value)),
            (tr("Type"), kind_name(record.media_type.value) if record.media_type else ""),
            (tr("Status"), status_words(record)),
        )
        ids = (tr("Created together"), record.batch_id or ""), (tr("File"), record.media_url or "")
        for grid, pairs in ((self._facts, told), (self._ids, ids)):
            for row, (label, value) in enumerate(pair for pair in pairs if pair[1]):
                grid.addWidget(Label(label, "card", "text3"), row, 0)
                grid.addWidget(ElidedLabel(value, "clock", elide="middle"), row, 1)

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

    async def _show_numbers(self, record: ContentRecord) -> None:
        found = await self._workspace.analytics.samples(record.created_at.date(), record.content_id)
        words = numbers(found)
        self.numbers.setText(words)
        self.numbers.setVisible(bool(words))

    async def _ask_for_post(self, record: ContentRecord) -> None:
        """The post names its file, and its page better than the id does, where the service tells."""
        key = self._workspace.published.post_key(record)
        detail = await self._workspace.detail(key) if key is not None else None
        self.file.show_path(detail.media_storage_path if detail is not None else "")
        if detail is not None and detail.page:
            self._show_page(record, detail.page)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.content_id.text())
        self.copy.set_icon("check", "ok")
        self._copied.start()

    def _open_post(self) -> None:
        key = self._workspace.published.post_key(self._record) if self._record else None
        if key is not None:
            self.post_opened.emit(key)

    def _connect(self) -> None:
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy.set_icon("copy"))
        self.copy.clicked.connect(self._copy)
        self.post.clicked.connect(self._open_post)
        self.look.clicked.connect(lambda: open_page(self._page))

    def _lay_out(self) -> None:
        grow(self, QWidget.setFixedWidth, WIDTH, WIDEST)
        for label in (self.title, self.text):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        for grid in (self._facts, self._ids):
            grid.setHorizontalSpacing(12)
            grid.setVerticalSpacing(6)
            grid.setColumnStretch(1, 1)
        holder = QWidget()
        body = QVBoxLayout(holder)
        body.setContentsMargins(_INSET, 14, _INSET, 14)
        body.setSpacing(10)
        for part in (self.title, self.text, self.file, self.numbers):
            body.addWidget(part)
        body.addWidget(Divider(inner=True))
        body.addLayout(self._facts)
        self.more.body.addLayout(self._ids)
        named = Label(tr("Platform ID"), "card", "text2", weight=QFont.Weight.Medium)
        self.more.body.addWidget(named)
        row = QHBoxLayout()
        row.addWidget(self.content_id, 1)
        row.addWidget(self.copy)
        self.more.body.addLayout(row)
        body.addWidget(self.more)
        body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(scrolled(holder), 1)
        column.addWidget(Divider(inner=True))
        column.addLayout(self._foot())

    def _foot(self) -> QVBoxLayout:
        foot = QVBoxLayout()
        foot.setContentsMargins(_INSET, 12, _INSET, 12)
        foot.setSpacing(8)
        for part in (self.post, self.look, self.gone):
            foot.addWidget(part)
        return foot
