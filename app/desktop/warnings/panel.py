"""The list "What will fail": each entry with its posts and what helps."""

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout

from app.contract.enums import ConnectionPlatform
from app.desktop.aio import TaskScope, report_to
from app.desktop.warnings.card import ConcernCard
from app.desktop.warnings.fixes import Fixes, Plan
from app.desktop.warnings.wording import Concern, Wording
from app.desktop.widgets import Label, LinkButton, SidePanel
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.time.wall import WallClock
from app.workspace.warnings.warning import PlanWarning, WarningKind

_MOST = 40
"""So many entries are shown; the others come up when these are settled."""

_NOTHING = tr("No problems with your scheduled posts.")


class WarningPanel(SidePanel):
    """Follows the plan; what is settled goes from the list by itself."""

    opened = Signal(str)
    """The key of a post to look at."""
    rewritten = Signal(str)
    """The key of a post that shall be replaced by one with another text."""
    reconnected = Signal(object)
    """The ConnectionPlatform of an account to connect again."""
    went = Signal(str)
    """The name of a pane to go to."""
    service_visited = Signal()
    """The service's page is to be opened in a browser."""
    told = Signal(object)
    """A Message for the person."""

    def __init__(self, workspace: Plan, zone: ZoneInfo, *, now: Clock = wall_clock) -> None:
        super().__init__(tr("What will fail"))
        self._workspace = workspace
        self._clock = WallClock(zone)
        self._now = now
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._empty = Label(_NOTHING, "text", "text2", wrap=True)
        self._more = Label("", "card", "text3", wrap=True)
        self._aside = LinkButton("")
        self._aside.clicked.connect(lambda: self._scope.start(workspace.show_again()))
        self._cards = QVBoxLayout()
        self._cards.setSpacing(10)
        self.body.addWidget(self._empty)
        self.body.addLayout(self._cards)
        self.body.addWidget(self._more)
        self.body.addWidget(self._aside)
        self.body.addStretch(1)
        self._shown: list[Concern] = []
        self._fill()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def concerns(self) -> list[Concern]:
        """What is listed now."""
        return self._shown

    def open(self, key: str) -> None:
        """Asks for a post to be shown."""
        self.opened.emit(key)

    def rewrite(self, key: str) -> None:
        """Asks for a post to be written anew."""
        self.rewritten.emit(key)

    def reconnect(self, platform: ConnectionPlatform) -> None:
        """Asks for an account of a platform to be connected again."""
        self.reconnected.emit(platform)

    def go(self, pane: str) -> None:
        """Asks for a pane to be shown."""
        self.went.emit(pane)

    def visit_service(self) -> None:
        """Asks for the service's page."""
        self.service_visited.emit()

    def put_aside(self, warnings: Iterable[PlanWarning]) -> None:
        """Lists these no longer."""
        self._scope.start(self._workspace.put_aside(warnings))

    def _changed(self, changes: Changes) -> None:
        if changes.warnings or changes.reset or changes.slots:
            self._fill()

    def _fill(self) -> None:
        workspace = self._workspace
        wording = Wording(workspace.posts, workspace.accounts, self._clock.zone)
        fixes = Fixes(workspace, self, self._clock, wording, self._now())
        found = wording.concerns(workspace.warnings)
        focused = self._clear()
        self._shown = found[:_MOST]
        for concern in self._shown:
            card = ConcernCard(concern, self._lines(concern, wording), fixes.of(concern))
            card.opened.connect(self.opened)
            self._cards.addWidget(card)
        self._empty.setVisible(all(concern.kind is WarningKind.ASLEEP for concern in found))
        more = tr("{n} more will appear once these are resolved.", n=len(found) - _MOST)
        self._more.setText(more)
        self._more.setVisible(len(found) > _MOST)
        aside = workspace.warnings.aside
        self._aside.setText(
            trn(
                "Show {n} ignored warning",
                "Show {n} ignored warnings",
                aside,
            )
        )
        self._aside.setVisible(aside > 0)
        self._focus(focused)

    def _clear(self) -> int | None:
        """Takes the cards away; gives the place of the one that had the keyboard."""
        focused, place, has_keyboard = None, 0, QApplication.focusWidget()
        while (item := self._cards.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                if has_keyboard is not None and old.isAncestorOf(has_keyboard):
                    focused = place
                old.hide()
                old.deleteLater()
            place += 1
        return focused

    def _focus(self, place: int | None) -> None:
        """Leaves the keyboard where it was, though what stood there is settled."""
        if place is None:
            return
        item = self._cards.itemAt(min(place, self._cards.count() - 1)) if self._cards.count() else None
        card = item.widget() if item is not None else None
        if isinstance(card, ConcernCard):
            card.take_focus()
        else:
            self.setFocus()

    def _lines(self, concern: Concern, wording: Wording) -> list[str]:
        posts = (self._workspace.posts.get(key) for key in concern.keys if concern.has_lines)
        return [wording.line(post) for post in posts if post is not None]
