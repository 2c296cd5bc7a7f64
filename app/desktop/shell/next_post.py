"""The next scheduled post in the sidebar: its picture, first words and the time left."""

from collections.abc import Mapping
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.desktop.background.countdown import coming, left
from app.desktop.kit.row_pictures import Load, RowPictures
from app.desktop.theme import icons, theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_cover, draw_icon, mirrored, rounded
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import PlannedPost, Timeline

_LINE: Final = 17
_PADDING: Final = 9
_TILE: Final = 32
_LARGEST_TILE: Final = 48
_CORNER: Final = 5
_REFRESH_MS: Final = 15_000


class Planned(Protocol):
    """A workspace's posts and their accounts."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...


class NextPost(EnterPresses):
    """A button that opens the next post. Hidden if nothing is scheduled, or if the sidebar is too low."""

    shows_name = True

    opened = Signal(str)
    """The key of the post."""
    changed = Signal()
    """Another post is next, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._planned: Planned | None = None
        self._zone: ZoneInfo | None = None
        self._post: PlannedPost | None = None
        self._left = ""
        self._pictures: RowPictures | None = None
        self._clock = QTimer(self, interval=_REFRESH_MS)
        self._clock.timeout.connect(self.refresh)
        self.clicked.connect(self._open)
        theme.follow(self._restyle)

    def show_posts_of(self, planned: Planned, zone: ZoneInfo) -> None:
        """Show the next of these posts as time passes; call `refresh` when they change."""
        self._planned, self._zone = planned, zone
        self._clock.start()
        self.refresh()

    def load_pictures(self, load: Load) -> None:
        """``load`` returns the thumbnail of a storage path, or None."""
        if self._pictures is not None:
            self._pictures.deleteLater()
        self._pictures = RowPictures(self, load, _TILE)
        self._pictures.arrived.connect(self.update)
        self.update()

    def clear(self) -> None:
        """Forget the posts, because their calendar was closed."""
        self._clock.stop()
        if self._pictures is not None:
            self._pictures.deleteLater()
        self._planned = self._zone = self._pictures = None
        self._show(None)

    def refresh(self) -> None:
        """Update the next post."""
        if self._planned is None or self._zone is None:
            return
        now = wall_clock()
        post = self._planned.posts.next_scheduled(now)
        if post is not None:
            account = self._planned.accounts.get(post.account_key)
            spoken = coming(post, now, self._zone, practice=account is not None and account.practice)
            self._left = left((post.at - now) / 1_000)
            self.setAccessibleName(f"{spoken}: {post.headline}" if post.headline else spoken)
            self.update()
        self._show(post)

    @property
    def has_post(self) -> bool:
        """Whether a post is scheduled."""
        return self._post is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether no picture is loading."""
        return self._pictures is None or self._pictures.is_at_rest

    def sizeHint(self) -> QSize:
        """Return the height of two lines; the sidebar sets the width."""
        height = max(2 * theme.current().grown(_LINE), _tile()) + 2 * _PADDING
        return QSize(theme.current().metrics.rail, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a card with the picture and two lines."""
        if (post := self._post) is None:
            return
        look = theme.current()
        painter = QPainter(self)
        card = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        line, width = ("accent", look.metrics.ring) if self.hasFocus() else ("line", 1)
        ground = "raised" if look.tokens.dark else "surface"
        rounded(painter, card, look.metrics.radius, fill="line2" if self.underMouse() else ground)
        rounded(painter, card, look.metrics.radius, line=line, width=width)
        edge = _tile()
        tile = mirrored(self, QRect(_PADDING, (self.height() - edge) // 2, edge, edge))
        self._paint_tile(painter, QRectF(tile), post)
        self._paint_words(painter, _PADDING + edge + _PADDING, post)

    def _paint_tile(self, painter: QPainter, tile: QRectF, post: PlannedPost) -> None:
        pictures, ratio = self._pictures, self.devicePixelRatioF()
        picture = pictures.of(post.media, ratio) if pictures is not None else None
        rounded(painter, tile, _CORNER, fill="sunken")
        if picture is None:
            draw_icon(painter, tile.adjusted(8, 8, -8, -8), icons.platform_icon(post.platform), "text2")
            return
        rim = QPainterPath()
        rim.addRoundedRect(tile, _CORNER, _CORNER)
        painter.save()
        painter.setClipPath(rim)
        draw_cover(painter, tile, picture)
        painter.restore()

    def _paint_words(self, painter: QPainter, start: int, post: PlannedPost) -> None:
        look = theme.current()
        line, width = look.grown(_LINE), self.width() - start - _PADDING
        top = (self.height() - 2 * line) // 2
        first = tr("Next · {left}", left=self._left)
        for role, ink, words, y in (
            ("small", "text3", first, top),
            ("strong", "text", post.headline or tr("No text"), top + line),
        ):
            painter.setFont(look.font("small" if role == "small" else "strong"))
            painter.setPen(look.color(ink))
            elided = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, width)
            place = mirrored(self, QRect(start, y, width, line))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)

    def _show(self, post: PlannedPost | None) -> None:
        before, self._post = self._post, post
        if (before and before.key) != (post and post.key):
            self.changed.emit()

    def _open(self) -> None:
        if self._post is not None:
            self.opened.emit(self._post.key)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def _tile() -> int:
    """Return the edge of the picture: it grows with the text, but leaves room for it."""
    return min(theme.current().grown(_TILE), _LARGEST_TILE)
