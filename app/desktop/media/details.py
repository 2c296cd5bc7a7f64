"""The panel with a file's details, and the posts that use it."""

from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop import words
from app.desktop.aio import TaskScope
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.media.alt_text import AltText
from app.desktop.media.thumbnails import Picture, load
from app.desktop.media.wording import kind_name, length, sides, size
from app.desktop.theme import icons, theme
from app.desktop.widgets import (
    Divider,
    ElidedLabel,
    FlowLayout,
    IconButton,
    IconLabel,
    Label,
    Panel,
    danger,
    order_tabs,
    scrolled,
    secondary,
)
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.desktop.words import clock, day, platform_name
from app.language import tr, trn
from app.workspace.clock import wall_clock
from app.workspace.media.library import MediaItem, takers
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace

_ICON = 14
_TEXT = 26

WIDTH = 304
WIDEST = 440
_INSET = 16
_PICTURE = QSize(WIDTH - 2 * _INSET, 204)
_KNOWN = 180
"""Width of the facts next to the picture, at 100 %."""
_MARK = 14
_MARKS = 154
"""Width of a line of platforms' icons, which get closer to each other if there are many."""
_COPIED_MS = 2_000
_USES_MOST = 30
_UNBOUND = 16_777_215
"""Qt's own most."""


class UseRow(EnterPresses):
    """Platform, first words and time of a post; ``key`` is the post's."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._tint = self._icon = self._title = self._facts = ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_post(self, post: PlannedPost, tint: str, zone: ZoneInfo) -> None:
        """Show a post's current state; ``tint`` is the account's colour."""
        moment = datetime.fromtimestamp(post.at / 1_000, zone)
        status = STATUS_WORDS[look_of(post, wall_clock())]
        self._tint = tint
        self._icon = f"brand:{post.platform}" if str(post.platform) in icons.BRANDS else "hash"
        self._title = post.headline or tr("No text")
        self._facts = f"{words.day(moment)}, {words.clock(moment)} · {status}"
        self.setAccessibleName(f"{self._title}, {words.platform_name(post.ruled_by)}, {self._facts}")
        self.setToolTip(self._title)
        self.update()

    def sizeHint(self) -> QSize:
        lines = sum(QFontMetrics(theme.current().font(role)).height() for role in ("card", "small"))
        return QSize(200, lines + 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme.current(), QPainter(self)
        box = QRectF(self.rect())
        if shows_focus(self):
            rounded(painter, box, look.metrics.radius_card, line="accent", width=2)
        elif self.underMouse():
            rounded(painter, box, look.metrics.radius_card, fill="line2")
        edge = look.grown(_ICON)
        sign = QRect(4, (self.height() - edge) // 2, edge, edge)
        draw_icon(painter, QRectF(mirrored(self, sign)), self._icon, self._tint)
        sign.moveLeft(self.width() - edge - 6)
        way = "chevron-left" if self.isRightToLeft() else "chevron-right"
        draw_icon(painter, QRectF(mirrored(self, sign)), way, "text3")
        words = QRect(edge + _TEXT - _ICON, 6, self.width() - 2 * edge - _TEXT + _ICON - 10, self.height())
        line = QRectF(mirrored(self, words))
        for font, color, told in (
            (look.font("card", QFont.Weight.Medium), "text", self._title),
            (look.font("small"), "text3", self._facts),
        ):
            painter.setFont(font)
            painter.setPen(look.color(color))
            line.setHeight(painter.fontMetrics().height())
            elided = painter.fontMetrics().elidedText(told, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            line.translate(0, line.height() + 1)


class Details(Panel):
    """Shows a file; emits signals for its actions."""

    enlarged = Signal(object)
    """The MediaItem that shows, as of the three that follow."""
    scheduled = Signal(object)
    saved = Signal(object)
    removed = Signal(object)
    post_opened = Signal(str)
    described = Signal(str, str)
    """A storage path, and words for those who cannot see the file."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__()
        self._workspace, self._zone = workspace, zone
        self._item: MediaItem | None = None
        self._scope = TaskScope(self)
        self.picture = Picture(_PICTURE)
        self.name = ElidedLabel("", "heading", elide="middle")
        self.alt_text = AltText()
        self.path = ElidedLabel("", "mono", "text2", elide="middle")
        self.copy = IconButton("copy", tr("Copy storage path"), size="small")
        self.schedule = secondary(tr("Use in a post"), "calendar-plus")
        self.save = IconButton("download", tr("Save a copy…"), "secondary")
        self.remove = danger(tr("Delete"), "trash-2")
        self.kept = Label("", "small", "text3", wrap=True)
        self._facts, self._uses = QGridLayout(), QVBoxLayout()
        self._top, self._known = QGridLayout(), QWidget()
        self._uses_title = Label(tr("Used in"), "card", "text2", weight=QFont.Weight.Medium)
        self._uses_count = Label("", "card", "text3")
        self._use_rows: dict[str, UseRow] = {}
        self._more_uses = Label("", "small", "text3")
        self._copied = QTimer(self)
        self._is_beside = True
        self._is_wide: bool | None = None
        self._lay_out()
        self._connect()

    def width_beside(self) -> int:
        """Return the width next to the files, at the current text size."""
        return min(theme.current().grown(WIDTH), WIDEST)

    def stand(self, *, beside: bool) -> None:
        """Become a column next to the files, or use the full width below them."""
        self._is_beside = beside
        self._restyle()

    def show_item(self, item: MediaItem) -> None:
        """Show a file; for the current one, update only what changed."""
        is_other = self._item is None or self._item.path != item.path
        if not is_other and item == self._item:
            return
        has_other_cover = self._item is not None and self._item.file.cover_ms != item.file.cover_ms
        self._item = item
        self.setAccessibleName(tr("About {name}", name=item.name))
        self.name.setText(item.name)
        self.path.setText(item.path)
        self._show_facts(item)
        self._show_uses(item)
        media = self._workspace.media
        self.alt_text.setVisible(media.library.can_describe)
        self.alt_text.show_for(item.path, media.alt_texts.of_stored(item.path, item.file.alt_text or ""))
        self.kept.setText(_kept_words(len(item.needed_by)))
        if is_other:
            self.picture.set_kind(item.file.kind)
        if is_other or has_other_cover:
            self._scope.cancel()
            self._scope.start(self._show_picture(item))

    async def _show_picture(self, item: MediaItem) -> None:
        picture = await load(self._workspace.media.pictures, item, _PICTURE * self.devicePixelRatioF())
        if self._item is not None and self._item.path == item.path:
            self.picture.set_picture(picture)

    def _show_facts(self, item: MediaItem) -> None:
        _clear(self._facts)
        shape, ratio = sides(item)
        duration = length(item.file.duration_ms) if item.file.duration_ms is not None else ""
        stored = item.file.created_at.astimezone(self._zone) if item.file.created_at else None
        told = (
            (tr("Type"), kind_name(item)),
            (tr("Size"), size(item)),
            (tr("Length"), duration),
            (tr("Dimensions"), " · ".join(filter(None, (shape, ratio)))),
            (
                tr("Added"),
                _moment(stored) if stored else "",
            ),
        )
        for label, value in told:
            if value:
                self._add_fact(label, Label(value, "card", wrap=True))
        if item.content_type:
            self._add_fact(tr("Ready for"), self._ready_for(item))

    def _add_fact(self, label: str, value: QWidget) -> None:
        row = self._facts.count() // 2
        self._facts.addWidget(Label(label, "card", "text3"), row, 0, Qt.AlignmentFlag.AlignTop)
        self._facts.addWidget(value, row, 1)

    def _ready_for(self, item: MediaItem) -> QWidget:
        platforms = takers(item.file.kind, item.facts)
        if not platforms:
            return Label(tr("No platform accepts it as is"), "card", "warn")
        holder = QWidget()
        between = (_MARKS - _MARK * len(platforms)) // max(1, len(platforms) - 1)
        row = FlowLayout(holder, gap=min(9, max(3, between)), line_gap=9)
        for platform in platforms:
            icon, name = icons.platform_icon(platform), platform_name(platform.value)
            row.addWidget(IconLabel(icon, "text2", _MARK, name))
        return holder

    def _show_uses(self, item: MediaItem) -> None:
        self._uses_count.setText(
            trn("{n} post", "{n} posts", len(item.used_in)) if item.used_in else tr("Not used yet")
        )
        accounts, tokens = self._workspace.accounts, theme.current().tokens
        before, self._use_rows = self._use_rows, {}
        for place, post in enumerate(item.used_in[:_USES_MOST]):
            row = before.pop(post.key, None) or self._new_use(post.key)
            account = accounts.get(post.account_key)
            row.show_post(post, tokens.account(account.color_index if account else 0), self._zone)
            self._use_rows[post.key] = row
            self._uses.insertWidget(place, row)
        for gone in before.values():
            self._uses.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        more = len(item.used_in) - _USES_MOST
        self._more_uses.setText(trn("and {n} other", "and {n} others", more))
        self._more_uses.setVisible(more > 0)
        order_tabs(*self.sections())

    def _new_use(self, key: str) -> UseRow:
        row = UseRow(key)
        row.clicked.connect(partial(self.post_opened.emit, key))
        return row

    def sections(self) -> list[QWidget]:
        """Return what Tab comes to, from top to bottom."""
        uses = self._use_rows.values()
        return [self.picture, self.alt_text, *uses, self.copy, self.schedule, self.save, self.remove]

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(self.path.text())
        self.copy.set_icon("check", "ok")
        self._copied.start()

    def _connect(self) -> None:
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy.set_icon("copy"))
        self.copy.clicked.connect(self._copy_path)
        self.alt_text.written.connect(self.described)
        for button, signal in (
            (self.picture, self.enlarged),
            (self.schedule, self.scheduled),
            (self.save, self.saved),
            (self.remove, self.removed),
        ):
            button.clicked.connect(lambda _checked=False, signal=signal: signal.emit(self._item))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_picture()

    def _restyle(self) -> None:
        self.setMinimumWidth(self.width_beside() if self._is_beside else 0)
        self.setMaximumWidth(self.width_beside() if self._is_beside else _UNBOUND)
        self._place_picture()

    def _lay_out(self) -> None:
        holder = QWidget()
        self._lay_out_top()
        body = QVBoxLayout(holder)
        body.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        body.setSpacing(12)
        self._facts.setColumnMinimumWidth(0, 76)
        self._facts.setColumnStretch(1, 1)
        self._facts.setVerticalSpacing(5)
        self._uses.setSpacing(0)
        self._uses.addWidget(self._more_uses)
        uses_head = _pair(self._uses_title, self._uses_count)
        for part in (self._top, self.alt_text, uses_head, self._uses):
            _add(body, part)
        body.addWidget(Label(tr("Storage path"), "card", "text2", weight=QFont.Weight.Medium))
        path = QHBoxLayout()
        path.addWidget(self.path, 1)
        path.addWidget(self.copy)
        body.addLayout(path)
        body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(scrolled(holder), 1)
        column.addWidget(Divider(inner=True))
        column.addLayout(self._foot())
        theme.follow(self._restyle)

    def _place_picture(self) -> None:
        """Put the picture above the facts, or next to them if both have room."""
        wide = not self._is_beside and self.width() >= _PICTURE.width() + theme.current().grown(_KNOWN)
        if wide is self._is_wide:
            return
        self._is_wide = wide
        for part in (self.picture, self._known):
            self._top.removeWidget(part)
        top = Qt.AlignmentFlag.AlignTop
        self._top.addWidget(self.picture, 0, 0, top if wide else Qt.AlignmentFlag(0))
        self._top.addWidget(self._known, *((0, 1, top) if wide else (1, 0)))
        self._top.setColumnStretch(1, int(wide))

    def _lay_out_top(self) -> None:
        column = QVBoxLayout(self._known)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.name)
        column.addLayout(self._facts)
        self._top.setSpacing(12)

    def _foot(self) -> QVBoxLayout:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.schedule, 1)
        first.addWidget(self.save)
        second.addWidget(self.remove)
        second.addWidget(self.kept, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(_INSET, 12, _INSET, 10)
        foot.setSpacing(6)
        foot.addLayout(first)
        foot.addLayout(second)
        return foot


def _kept_words(needed: int) -> str:
    if not needed:
        return ""
    return trn("Used by {n} scheduled post", "Used by {n} scheduled posts", needed)


def _moment(stored: datetime) -> str:
    return tr(
        "{day} {year}, {time}",
        day=day(stored),
        year=str(stored.year),
        time=clock(stored),
    )


def _add(column: QVBoxLayout, part: QWidget | QHBoxLayout | QVBoxLayout | QGridLayout) -> None:
    if isinstance(part, QWidget):
        column.addWidget(part)
    else:
        column.addLayout(part)


def _pair(left: QWidget, right: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(left)
    row.addStretch(1)
    row.addWidget(right)
    return row


def _clear(layout: QGridLayout | QVBoxLayout) -> None:
    while (entry := layout.takeAt(0)) is not None:
        if (widget := entry.widget()) is not None:
            widget.hide()
            widget.deleteLater()
