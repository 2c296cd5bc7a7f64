"""Animates cards when their posts change: to another time, back after a refusal, or when published."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.contract.enums import PostStatus
from app.desktop import motion
from app.desktop.calendar.cards import FindAccount
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.motion import Flight, shaken, straight
from app.desktop.calendar.placement import Box, PlacedCard
from app.desktop.calendar.view import CalendarView
from app.desktop.motion import tokens
from app.desktop.theme import theme
from app.workspace.posts.planned import PlannedPost, SyncState

_MOST: Final = 12
"""Maximum number of posts animated in one step; more come from a sync, which isn't worth watching."""


@contextmanager
def moving_cards(
    view: CalendarView, model: PostListModel, changed: Sequence[PlannedPost], find_account: FindAccount
) -> Iterator[None]:
    """Move the visible cards of posts that change in this block."""
    if not motion.is_on() or not view.isVisible() or len(changed) > _MOST or view.drag is not None:
        yield
        return
    before = {post.key: shown for post in changed if (shown := _shown(view, model.get(post.key))) is not None}
    yield
    moved: set[str] = set()
    for post in changed:
        found, shown = view.page.card_of(post), before.get(post.key)
        if found is None or shown is None or found[1].post.key in moved:
            continue
        old, start, picture = shown
        card = found[1]
        moved.add(card.post.key)
        if _is_published(card.post) and not _is_published(old):
            account = find_account(post.account_key)
            fill = theme.current().tokens.account_fill(account.color_index if account is not None else 0)
            view.motion.publish(card.post.key, start, picture, theme.current().color(fill))
        elif old.at != post.at:
            _fly(view, old, card, start, view.on_viewport(found[0]))


class _Shown(NamedTuple):
    """A post, its card's place on the viewport, and how that looks."""

    post: PlannedPost
    place: QRect
    picture: QPixmap


def _shown(view: CalendarView, post: PlannedPost | None) -> _Shown | None:
    """Return how a post is shown now; None if it isn't visible."""
    found = view.page.card_of(post) if post is not None else None
    if post is None or found is None or not view.viewport().rect().intersects(view.on_viewport(found[0])):
        return None
    return _Shown(post, view.on_viewport(found[0]), _picture(view, found[1]))


def _is_published(post: PlannedPost) -> bool:
    return post.published or post.status is PostStatus.POSTED


def _fly(view: CalendarView, old: PlannedPost, card: PlacedCard, start: QRect, end: QRect) -> None:
    """Move a card to its new time; if the service refused a move, with a shake first."""
    is_refused = old.sync is not SyncState.SYNCED and card.post.sync is SyncState.SYNCED
    corners = QPointF(start.topLeft()), QPointF(end.topLeft())
    path, timing = (shaken(*corners), tokens.REFUSED) if is_refused else (straight(*corners), tokens.MOVE)
    picture = _picture(view, card)
    view.motion.fly(
        card.post.key, Flight(picture, path, QRect(0, 0, card.box.width, card.box.height), timing)
    )


def _picture(view: CalendarView, card: PlacedCard) -> QPixmap:
    page, (width, height) = view.page, (card.box.width, card.box.height)
    picture = QPixmap(round(width * page.ratio), round(height * page.ratio))
    picture.setDevicePixelRatio(page.ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    page.paint_card(painter, card.post, Box(0, 0, width, height), card.style)
    painter.end()
    return picture
