"""The accounts of a card: one glyph, or a stack of circles, the last of which may count the rest."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from app.contract.enums import PostingPlatform
from app.desktop.calendar.placement import Box
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.language import number
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost

_INSET = 3 / 16
"""Distance of a glyph from the edge of its circle, as a fraction of the circle."""

Tint = Callable[[int], str]
"""Returns the colour or role of a glyph, for the index of its account's colour."""


class AccountMark(NamedTuple):
    """The platform of an account, and the index of its colour."""

    color_index: int
    platform: PostingPlatform

    @property
    def icon(self) -> str:
        """The name of the platform's icon."""
        name = self.platform.value
        return f"brand:{name}" if name in icons.BRANDS else "hash"


def marks_of(
    posts: Sequence[PlannedPost], find_account: Callable[[str], Account | None]
) -> tuple[AccountMark, ...]:
    """Return the accounts of a card's posts, sorted like accounts regardless of their state."""
    marks = [
        AccountMark(account.color_index if account is not None else 0, post.platform)
        for post in posts
        for account in (find_account(post.account_key),)
    ]
    return tuple(sorted(marks) if len(marks) > 1 else marks)


def paint_marks(
    painter: QPainter,
    glyph: Box,
    circles: Sequence[Box],
    marks: Sequence[AccountMark],
    tint: Tint,
    font: QFont,
    *,
    fill: str = "",
) -> None:
    """Paint one account's glyph, or several in circles, which have an edge only with a ``fill``."""
    if not circles:
        draw_icon(painter, QRectF(*glyph), marks[0].icon, tint(marks[0].color_index))
        return
    is_cut = len(marks) > len(circles)
    for place, circle in enumerate(circles):
        box = QRectF(*circle)
        if fill:
            rounded(painter, box, box.width() / 2, fill=fill, line="line")
        if is_cut and place == len(circles) - 1:
            painter.setFont(font)
            painter.setPen(theme.current().color("text2"))
            count = number(len(marks) - place)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"+{count}" if place else count)
        else:
            inset = box.width() * _INSET
            sign = box.adjusted(inset, inset, -inset, -inset)
            draw_icon(painter, sign, marks[place].icon, tint(marks[place].color_index))
