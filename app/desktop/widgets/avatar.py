"""Account avatars: a picture or initials in a circle, with the platform's badge at the lower right."""

import re
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.theme.icons import BRANDS
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded, shows_focus

BadgeLook = Literal["brand", "account"]

_RING = 4  # two pixels of ring and two of air around a chosen account


@dataclass(frozen=True, slots=True)
class Face:
    """The content of an avatar.

    Attributes:
        name: the account's name, for the initials.
        platform: its platform, or "" for no badge.
        color_index: its account colour, or None for grey.
        picture: its picture, or None for initials.
        badge: "brand" (white glyph on the platform's colour) or "account" (glyph in the account's colour).
        ground: the colour role of the background, for the ring around the badge.
    """

    name: str
    platform: str = ""
    color_index: int | None = None
    picture: QPixmap | None = None
    badge: BadgeLook = "brand"
    ground: str = "surface"


class Avatar(QWidget):
    """A passive avatar of `size` logical pixels at 100 %; it grows with the text size."""

    def __init__(self, face: Face, size: int = 44, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._face, self._size = face, size
        self._has_badge = bool(face.platform)
        self._circle = QRectF()
        self.setAccessibleName(_spoken(face))
        theme.follow(self._restyle)

    def set_face(self, face: Face) -> None:
        """Show another account, or a picture loaded meanwhile."""
        self._face = face
        self.setAccessibleName(_spoken(face))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_avatar(QPainter(self), self._circle, self._face)

    def _restyle(self) -> None:
        size = theme.current().grown(self._size)
        overhang = badge_overhang(size) if self._has_badge else 0
        self._circle = QRectF(0, 0, size, size)
        self.setFixedSize(size + overhang, size + overhang)


class AvatarToggle(EnterPresses):
    """An avatar that can be switched on and off, with an accent ring while on."""

    shows_name = True

    def __init__(self, face: Face, size: int = 36, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._face, self._size = face, size
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(_spoken(face))
        theme.notifier().changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        edge = theme.current().grown(self._size + 2 * _RING)
        return QSize(edge, edge)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if shows_focus(self):
            rounded(painter, rect, rect.width() / 2, line="text", width=2)
        elif self.isChecked():
            rounded(painter, rect, rect.width() / 2, line="accent", width=2)
        if not self.isEnabled():
            painter.setOpacity(0.5)
        ring = theme.current().grown(_RING)
        paint_avatar(painter, rect.adjusted(ring, ring, -ring, -ring), self._face)


class Swatch(QWidget):
    """A small square in an account's colour."""

    def __init__(self, color_index: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index = color_index
        self.setFixedSize(10, 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        rounded(QPainter(self), QRectF(self.rect()), 3, fill=theme.current().tokens.account(self._index))


def initials(name: str) -> str:
    """Return one or two capitals: of the first and last word, "?" for a name without letters."""
    words = [word for word in re.split(r"[\s._@-]+", name) if word[:1].isalnum()]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [word[0] for word in words]
    return "".join(letters).upper() or "?"


def badge_overhang(size: int) -> int:
    """Return by how many pixels the badge extends beyond an avatar of `size` at its right and bottom."""
    return max(2, round(size / 11))


def paint_avatar(painter: QPainter, circle: QRectF, face: Face) -> None:
    """Draw an avatar into `circle`; its badge extends beyond the lower right by `badge_overhang`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if face.picture is not None and not face.picture.isNull():
        _paint_picture(painter, circle, face.picture)
    else:
        _paint_initials(painter, circle, face)
    if face.platform:
        _paint_badge(painter, circle, face)


def _paint_picture(painter: QPainter, circle: QRectF, picture: QPixmap) -> None:
    shape = QPainterPath()
    shape.addEllipse(circle)
    painter.save()
    painter.setClipPath(shape)
    draw_cover(painter, circle, picture)
    painter.restore()


def _paint_initials(painter: QPainter, circle: QRectF, face: Face) -> None:
    tokens, radius = theme.current().tokens, circle.width() / 2
    if face.color_index is None:
        rounded(painter, circle, radius, fill="sunken", line="line")
        painter.setPen(theme.current().color("text2"))
    else:
        rounded(painter, circle, radius, fill=tokens.account_fill(face.color_index))
        painter.setPen(theme.current().color("on_mark"))
    font = theme.current().font("text", QFont.Weight.DemiBold)
    font.setPixelSize(max(8, round(circle.width() * 0.34)))
    painter.setFont(font)
    painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, initials(face.name))


def _paint_badge(painter: QPainter, circle: QRectF, face: Face) -> None:
    edge = round(circle.width() * 0.41) if face.badge == "brand" else round(circle.width() * 0.33)
    overhang = badge_overhang(round(circle.width()))
    badge = QRectF(0, 0, edge, edge)
    badge.moveBottomRight(circle.bottomRight() + QPointF(overhang, overhang))
    air = 2 if face.badge == "brand" else 3
    outer = badge.adjusted(-air, -air, air, air)
    rounded(painter, outer, outer.width() / 2, fill=face.ground)
    tokens = theme.current().tokens
    mark = f"brand:{face.platform}" if face.platform in BRANDS else "globe"
    if face.badge == "account":
        draw_icon(painter, badge, mark, _mark_color(face))
        return
    fill, glyph = tokens.brand(face.platform)
    rounded(painter, badge, edge / 2, fill=fill)
    inner = badge.adjusted(edge * 0.22, edge * 0.22, -edge * 0.22, -edge * 0.22)
    draw_icon(painter, inner, mark, glyph)


def _mark_color(face: Face) -> str:
    return "text2" if face.color_index is None else theme.current().tokens.account(face.color_index)


def _spoken(face: Face) -> str:
    return f"{face.name}, {face.platform}" if face.platform else face.name
