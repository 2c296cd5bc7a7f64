"""A preview of a post on its platform: the order of its parts, its names, and the shape of its picture."""

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.inspector.post_text import PostText
from app.desktop.media.cover import Cover, Frame
from app.desktop.theme import theme
from app.desktop.widgets import Avatar, Face, Label, Panel
from app.desktop.widgets.painting import draw_icon, mirrored
from app.desktop.words import handle, platform_name
from app.language import number, tr, trc, trn
from app.platforms.cards import brand_of
from app.workspace.accounts.account import Account
from app.workspace.media.media import Media
from app.workspace.posts.reading import PostDetail

_INSET: Final = 14
_GAP: Final = 10
_ACTS: Final = 36
"""Height of the row of reactions."""
_GLYPH: Final = 16
Part = Literal["head", "title", "text", "link", "picture", "acts", "date"]


@dataclass(frozen=True, slots=True)
class Template:
    """A platform's layout of a post.

    Attributes:
        parts: From top to bottom.
        frame: The shape of the picture.
        acts: The platform's reactions: words, or icons by name.
        face: Edge of the account's picture, in px.
        is_beside: Everything is next to the account's picture.
        is_inset: The picture has a margin to the card's edges.
        by_handle: The account is shown by its handle.
        about: The content of the second line: the audience, the date, both, or nothing.
    """

    parts: tuple[Part, ...]
    frame: Frame
    acts: tuple[str, ...] = ()
    face: int = 40
    is_beside: bool = False
    is_inset: bool = False
    by_handle: bool = False
    about: tuple[Literal["audience", "date", "handle"], ...] = ("date",)


_LIKE, _COMMENT = trc("reaction to a post", "Like"), trc("reaction to a post", "Comment")
_WORDS: Final = frozenset(
    {
        _LIKE,
        _COMMENT,
        trc("reaction to a post", "Repost"),
        trc("reaction to a post", "Send"),
        trc("reaction to a post", "Share"),
    }
)
_USUAL: Final = Template(("head", "title", "text", "picture"), Frame(0.52, 1.0))
_TEMPLATES: Final = {
    "linkedin": Template(
        ("head", "text", "picture", "acts"),
        Frame(0.52, 1.0),
        (_LIKE, _COMMENT, trc("reaction to a post", "Repost"), trc("reaction to a post", "Send")),
        about=("audience", "date"),
    ),
    "facebook": Template(
        ("head", "text", "picture", "acts"),
        Frame(0.52, 1.0),
        (_LIKE, _COMMENT, trc("reaction to a post", "Share")),
    ),
    "instagram": Template(
        ("head", "picture", "acts", "text", "date"),
        Frame(0.525, 1.25),
        ("heart", "message-circle", "send", "bookmark"),
        face=32,
        by_handle=True,
        about=(),
    ),
    "x": Template(
        ("head", "text", "picture", "acts"),
        Frame(0.52, 1.0, is_rounded=True),
        ("message-circle", "repeat-2", "heart", "chart-line", "bookmark"),
        is_beside=True,
        is_inset=True,
        about=("handle", "date"),
    ),
    "bluesky": Template(
        ("head", "text", "picture", "acts"),
        Frame(0.52, 1.25, is_rounded=True),
        ("message-circle", "repeat-2", "heart", "ellipsis"),
        face=40,
        is_beside=True,
        is_inset=True,
        about=("handle", "date"),
    ),
    "mastodon": Template(
        ("head", "title", "text", "picture", "acts"),
        Frame(0.52, 1.25, is_rounded=True),
        ("message-circle", "repeat-2", "heart", "bookmark"),
        face=40,
        is_beside=True,
        is_inset=True,
        about=("handle", "date"),
    ),
    "threads": Template(
        ("head", "text", "picture", "acts"),
        Frame(0.52, 1.25, is_rounded=True),
        ("heart", "message-circle", "repeat-2", "send"),
        face=36,
        is_beside=True,
        is_inset=True,
        by_handle=True,
    ),
    "pinterest": Template(
        ("picture", "title", "text", "link", "head"),
        Frame(0.75, 1.5, share=0.72, is_rounded=True),
        face=32,
        about=("audience",),
    ),
    "tiktok": Template(
        ("picture", "head", "text", "acts"),
        Frame(16 / 9, 16 / 9, share=0.5, is_on_top=True),
        ("heart", "message-circle", "bookmark", "share-2"),
        face=36,
        by_handle=True,
    ),
    "youtube": Template(
        ("picture", "title", "head", "acts", "text"),
        Frame(9 / 16, 9 / 16, is_on_top=True),
        ("thumbs-up", "message-circle", "share-2", "bookmark"),
        face=36,
        about=("audience",),
    ),
}


class _Acts(QWidget):
    """The reactions below a post, for display only."""

    def __init__(self, acts: tuple[str, ...]) -> None:
        super().__init__()
        self._acts = acts
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(0, theme.current().grown(_ACTS))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        painter.setFont(look.font("card"))
        painter.setPen(look.color("text2"))
        needed, left = self._needed(), 0.0
        spare = (self.width() - sum(needed)) / len(needed)
        for act, least in zip(self._acts, needed, strict=True):
            area = mirrored(self, QRect(round(left), 0, round(least + spare), self.height()))
            left += least + spare
            if act in _WORDS:
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, act)
                continue
            icon = QRectF(0, 0, look.grown(_GLYPH), look.grown(_GLYPH))
            icon.moveCenter(QRectF(area).center())
            draw_icon(painter, icon, act, "text2")

    def _needed(self) -> list[int]:
        """Return the width of each act; they share the rest of the line."""
        look = theme.current()
        metrics = QFontMetrics(look.font("card"))
        return [metrics.horizontalAdvance(act) if act in _WORDS else look.grown(_GLYPH) for act in self._acts]

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class PlatformPreview(Panel):
    """One post on one platform.

    Args:
        media: has the post's file.
        platform: determines the layout.
        account: the post's account; None if it's no longer connected.
    """

    def __init__(self, media: Media, platform: str, account: Account | None) -> None:
        super().__init__()
        self._account, self._platform = account, platform
        self._template = template = _TEMPLATES.get(platform, _USUAL)
        self.setAccessibleName(tr("Preview on {platform}", platform=platform_name(platform)))
        self.cover = Cover(media, template.frame)
        self.title, self.text = Label("", "strong", wrap=True), PostText()
        self.link, self._date = Label("", "card", "text3", wrap=True), Label("", "small", "text3")
        self._name = Label("", "strong", wrap=True)
        self._about = Label("", "small", "text2", wrap=True)
        self._avatar = Avatar(self._face(), template.face)
        self._lay_out()
        for optional in (self.title, self.text, self.link):
            optional.hide()

    def show_detail(self, detail: PostDetail, date: str) -> None:
        """Show a post in full; ``date`` is its day as shown on the platform."""
        warning = (detail.options.content_warning if detail.options else None) or ""
        optional: dict[Part, tuple[Label, str]] = {
            "title": (self.title, detail.title or warning),
            "link": (self.link, detail.link),
        }
        for part, (label, words) in optional.items():
            label.setText(words)
            label.setVisible(bool(words) and part in self._template.parts)  # else it has no parent
        self.text.show_words(detail.text)
        self.text.setVisible(bool(detail.text) or not detail.media_storage_path)
        self.cover.show_stored(detail.media_storage_path)
        self.show_date(date)

    def show_date(self, date: str) -> None:
        """Show the date of publication."""
        account, platform = self._account, self._platform
        named = handle(account.handle, platform) if account else ""
        own_name = account.name if account else platform_name(platform)
        goes_by = (named if self._template.by_handle else "") or own_name
        self._name.setText(goes_by)
        facts = {
            "audience": _audience(account) if account else "",
            "handle": named,
            "date": date,
        }
        lines = [facts[one] for one in self._template.about if facts[one]]
        self._about.setText((" · " if self._template.is_beside else "\n").join(lines))
        self._about.setVisible(bool(lines))
        self._date.setText(date)

    def _face(self) -> Face:
        account = self._account
        return Face(account.name if account else "", "", account.color_index if account else None)

    def _lay_out(self) -> None:
        template = self._template
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        if template.is_beside:
            row, words = QHBoxLayout(), QVBoxLayout()
            row.setContentsMargins(_INSET, _INSET, _INSET, 0)
            row.setSpacing(_GAP)
            row.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignTop)
            row.addLayout(words, 1)
            words.setSpacing(6)
            column.addLayout(row)
            into, side = words, 0
        else:
            into, side = column, _INSET
        if template.parts[0] == "picture" and template.frame.is_rounded:
            column.addSpacing(_INSET)
        for part in template.parts:
            self._add(part, into, side)
        if "acts" not in template.parts[-1:]:
            column.addSpacing(_INSET)

    def _add(self, part: Part, column: QVBoxLayout, side: int) -> None:
        """Add a part, ``side`` px from the card's edges."""
        if part == "picture":
            column.addWidget(self.cover)
            return
        if part == "acts":
            column.addWidget(_Acts(self._template.acts))
            return
        line = QHBoxLayout()
        top = 0 if self._template.is_beside else _GAP
        line.setContentsMargins(side, top, side, 0)
        line.setSpacing(_GAP)
        if part == "head":
            self._add_head(line)
        else:
            labels = {"title": self.title, "text": self.text, "link": self.link, "date": self._date}
            line.addWidget(labels[part], 1)
        column.addLayout(line)
        if side and part in {"text", "head"} and self._precedes_picture(part):
            column.addSpacing(_GAP)

    def _precedes_picture(self, part: Part) -> bool:
        parts = self._template.parts
        after = parts[parts.index(part) + 1 :]
        return after[:1] == ("picture",)

    def _add_head(self, line: QHBoxLayout) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(self._name)
        words.addWidget(self._about)
        words.addStretch(1)
        if not self._template.is_beside:
            line.addWidget(self._avatar, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addLayout(words, 1)


def _audience(account: Account) -> str:
    """``9,364 followers``; "" if it's unknown, or made up."""
    count = account.followers
    if count is None or account.practice:
        return ""
    if brand_of(account.platform).subscribers:
        return trn("{n} subscriber", "{n} subscribers", count, n=number(count))
    return trn("{n} follower", "{n} followers", count, n=number(count))
