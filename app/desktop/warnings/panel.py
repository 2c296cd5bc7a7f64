"""The list "What will fail": each entry with its posts and what helps."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from app.contract.enums import ConnectionPlatform
from app.desktop.connections.connecting import connectable
from app.desktop.warnings.card import ConcernCard
from app.desktop.warnings.wording import Concern, Wording
from app.desktop.widgets import Label, SidePanel
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.gaps import quiet_time
from app.workspace.slots.slots import Slot
from app.workspace.time.wall import WallClock
from app.workspace.warnings.warning import PlanWarnings, WarningKind

_MOST = 40
"""So many entries are shown; the others come up when these are settled."""

_NOTHING = "Nothing that is planned is known to fail."
_MORE = "{} more will be listed here when these are settled."


class Slots(Protocol):
    """The weekly posting times."""

    def all(self) -> Iterable[Slot]: ...


class Plan(Protocol):
    """What the list needs of a workspace."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def accounts(self) -> Mapping[str, Account]: ...

    @property
    def warnings(self) -> PlanWarnings: ...

    @property
    def slots(self) -> Slots: ...

    def move(self, times: Mapping[str, int]) -> None: ...

    def cancel(self, keys: Iterable[str]) -> None: ...

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]: ...


class WarningPanel(SidePanel):
    """Follows the plan; what is settled goes from the list by itself."""

    opened = Signal(str)
    """The key of a post to look at."""
    rewritten = Signal(str)
    """The key of a post that shall be replaced by one with another text."""
    reconnected = Signal(object)
    """The ConnectionPlatform of an account to connect again."""

    def __init__(self, workspace: Plan, zone: ZoneInfo, *, now: Clock = wall_clock) -> None:
        super().__init__("What will fail")
        self._workspace = workspace
        self._clock = WallClock(zone)
        self._now = now
        self._empty = Label(_NOTHING, "text", "text2", wrap=True)
        self._more = Label("", "card", "text3", wrap=True)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(10)
        self.body.addWidget(self._empty)
        self.body.addLayout(self._cards)
        self.body.addWidget(self._more)
        self.body.addStretch(1)
        self._shown: list[Concern] = []
        self._fill()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def concerns(self) -> list[Concern]:
        """What is listed now."""
        return self._shown

    def _changed(self, changes: Changes) -> None:
        if changes.warnings or changes.reset or changes.slots:
            self._fill()

    def _fill(self) -> None:
        workspace = self._workspace
        wording = Wording(workspace.posts, workspace.accounts, self._clock.zone)
        found = wording.concerns(workspace.warnings)
        self._shown = found[:_MOST]
        while (item := self._cards.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for concern in self._shown:
            self._cards.addWidget(self._card(concern, wording))
        self._empty.setVisible(all(concern.kind is WarningKind.ASLEEP for concern in found))
        self._more.setText(_MORE.format(len(found) - _MOST))
        self._more.setVisible(len(found) > _MOST)

    def _card(self, concern: Concern, wording: Wording) -> ConcernCard:
        quiet = self._quiet_time(concern)
        platform = self._platform(concern)
        card = ConcernCard(
            concern,
            self._lines(concern, wording),
            move_to=wording.when(quiet) if quiet is not None else "",
            can_connect=platform in connectable(),
        )
        card.opened.connect(self.opened)
        card.rewritten.connect(self.rewritten)
        card.reconnected.connect(lambda: self.reconnected.emit(platform))
        card.moved.connect(lambda: self._workspace.move({concern.keys[0]: quiet}) if quiet else None)
        card.cancelled.connect(lambda: self._workspace.cancel(concern.keys))
        return card

    def _lines(self, concern: Concern, wording: Wording) -> list[str]:
        """The posts of an account, one line each; a post that stands for itself needs none."""
        if not concern.kind.is_of_account:
            return []
        posts = (self._workspace.posts.get(key) for key in concern.keys)
        return [wording.line(post) for post in posts if post is not None]

    def _quiet_time(self, concern: Concern) -> int | None:
        """Where a post could go that comes too soon after another."""
        post = self._workspace.posts.get(concern.keys[0]) if concern.keys else None
        if post is None or concern.kind is not WarningKind.TOO_CLOSE:
            return None
        slots = self._workspace.slots.all()
        return quiet_time(post, slots, self._clock, self._workspace.posts, self._now())

    def _platform(self, concern: Concern) -> ConnectionPlatform | None:
        """What to connect again; None where that does not help."""
        post = self._workspace.posts.get(concern.keys[0]) if concern.kind.is_of_account else None
        return ConnectionPlatform(post.platform.value) if post is not None else None
