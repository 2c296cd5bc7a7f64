"""All posts of one day, where the month has no room for them."""

from collections.abc import Callable, Iterable
from datetime import date
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.desktop import words
from app.desktop.theme import icons
from app.desktop.widgets import Menu
from app.workspace.posts.planned import PlannedPost

_LONGEST = 60


class DayMenu(Menu):
    """Lists a day's posts with their times; choosing one opens it. Arrows walk, Esc closes."""

    def __init__(
        self,
        day: int,
        posts: Iterable[PlannedPost],
        time_of: Callable[[PlannedPost], str],
        opened: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        listed = list(posts)
        on = date.fromordinal(day)
        title = f"{on:%A} {on.day} {on:%B} · {words.counted(len(listed), 'post')}"
        self.setAccessibleName(title)
        self.add(title, lambda: None, enabled=False)
        self.addSeparator()
        for post in listed:
            line = f"{time_of(post)}   {post.headline[:_LONGEST] or 'No text'}".replace("&", "&&")
            is_known = str(post.platform) in icons.BRANDS
            self.add(line, partial(opened, post.key), icon=f"brand:{post.platform}" if is_known else "hash")
        self.aboutToHide.connect(self.deleteLater)

    def open_at(self, place: QPoint) -> None:
        """Opens with the first post under the keyboard."""
        self.popup(place)
        self.setActiveAction(self.actions()[2])
