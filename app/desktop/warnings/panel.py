"""The panel "Before publishing": the number of posts that are ready, and problems with the others."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform, PostStatus
from app.desktop.aio import TaskScope, report_to
from app.desktop.charts.paint import ProgressMeter
from app.desktop.commands import spoken
from app.desktop.theme import theme
from app.desktop.warnings.fixes import Fixes, Plan, Way
from app.desktop.warnings.row import ConcernRow, PostChip
from app.desktop.warnings.wording import Concern, Wording
from app.desktop.widgets import (
    Divider,
    FlowLayout,
    IconLabel,
    KeyHint,
    Label,
    LinkButton,
    SidePanel,
    announce,
    clear,
)
from app.desktop.widgets.in_use import is_in_use
from app.desktop.words import clock, platform_name
from app.language import tr, trn, weekday_short
from app.workspace.changes import Changes
from app.workspace.clock import LAST_MOMENT, Clock, wall_clock
from app.workspace.editing.schedule import in_zone
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import WallClock
from app.workspace.warnings.warning import PlanWarning, WarningKind

_MOST: Final = 40
"""Maximum number of entries; the others come up once these are resolved."""
_LATER_MS: Final = 200
"""Delay before trying again to update entries that are in use, in ms."""
_NOTHING: Final = tr("Everything on your calendar looks ready.")
_NO_POSTS: Final = tr("Nothing scheduled, so nothing to check.")


class _Group(QWidget):
    """A heading with a count, and the entries below it; hidden while it has none."""

    def __init__(self, title: str, tone: str) -> None:
        super().__init__()
        self.count, self.ignore_all = Label("", "card", "text2"), LinkButton(tr("Ignore all"))
        self.ignore_all.hide()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(Label(title, "card", tone, weight=QFont.Weight.DemiBold))
        head.addWidget(self.count)
        head.addStretch(1)
        head.addWidget(self.ignore_all)
        self.rows = QVBoxLayout()
        self.rows.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(self.rows)
        self.hide()


class WarningPanel(SidePanel):
    """Lists the plan's warnings; resolved ones disappear.

    Arrow keys move between entries, Enter presses an entry's main button, I ignores it.
    """

    opened = Signal(str)
    """The key of a post to look at."""
    rewritten = Signal(str)
    """The key of a post to be replaced by one with another text."""
    reconnected = Signal(object)
    """The ConnectionPlatform of an account to connect again."""
    went = Signal(str)
    """The name of a pane to go to."""
    service_visited = Signal()
    """The service's page is to be opened in a browser."""
    pointed = Signal(object)
    """The keys of the posts of the entry with the pointer or the focus, as a tuple; empty for none."""
    told = Signal(object)
    """A Message for the person."""

    def __init__(self, workspace: Plan, zone: ZoneInfo, *, now: Clock = wall_clock) -> None:
        super().__init__(tr("Before publishing"))
        self._workspace = workspace
        self._clock = WallClock(zone)
        self._now = now
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._ready, self._meter = Label("", "card", "text2"), ProgressMeter("ok")
        self._fails, self._doubts = _Group(tr("Will fail"), "bad"), _Group(tr("Worth a look"), "warn")
        self._empty, self._good = QWidget(), Label("", "text", "ok", wrap=True)
        self._note = QWidget()
        self._note_words = Label("", "card", "text2", wrap=True)
        self._more = Label("", "card", "text3", wrap=True)
        self._aside = LinkButton("")
        self._shown: list[Concern] = []
        self._was_open = 0
        self._later = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._later.timeout.connect(self._fill)
        self._lay_out_list()
        self._aside.clicked.connect(lambda: self._scope.start(workspace.show_again()))
        self._doubts.ignore_all.clicked.connect(self._ignore_all)
        self._fill()
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    def concerns(self) -> list[Concern]:
        """Return the listed entries."""
        return self._shown

    def open(self, key: str) -> None:
        """Request to show a post."""
        self.opened.emit(key)

    def rewrite(self, key: str) -> None:
        """Request to replace a post."""
        self.rewritten.emit(key)

    def reconnect(self, platform: ConnectionPlatform) -> None:
        """Request to reconnect an account of a platform."""
        self.reconnected.emit(platform)

    def go(self, pane: str) -> None:
        """Request to show a pane."""
        self.went.emit(pane)

    def visit_service(self) -> None:
        """Request to open the service's page."""
        self.service_visited.emit()

    def put_aside(self, warnings: Iterable[PlanWarning]) -> None:
        """Hide these entries."""
        self._scope.start(self._workspace.put_aside(warnings))

    def take_focus(self) -> None:
        """Focus the first entry, or the panel."""
        rows = self._rows()
        if rows:
            rows[0].take_focus()
        else:
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between entries, and ignore one."""
        rows = self._rows()
        place = next((place for place, row in enumerate(rows) if row.has_focus), None)
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if rows and event.key() in steps:
            there = 0 if place is None else place + steps[Qt.Key(event.key())]
            rows[min(max(there, 0), len(rows) - 1)].take_focus()
        elif event.key() == Qt.Key.Key_I and not event.modifiers() and place is not None:
            if not rows[place].ignore():
                announce(self, tr("This can't be ignored: the post will fail."), urgent=True)
        else:
            super().keyPressEvent(event)

    def _changed(self, changes: Changes) -> None:
        if changes.warnings or changes.reset or changes.slots:
            self._fill()
        elif changes.posts or changes.removed:
            self._count()

    def _fill(self) -> None:
        """Rebuild the entries, once no menu of theirs is open and no button is pressed."""
        if is_in_use(self):
            self._later.start()
            return
        workspace = self._workspace
        wording = Wording(workspace.posts, workspace.accounts, self._clock.zone)
        fixes = Fixes(workspace, self, self._clock, wording, self._now())
        found = wording.concerns(workspace.warnings)
        place, held = next(
            ((place, row.concern) for place, row in enumerate(self._rows()) if row.has_focus), (None, None)
        )
        listed = [concern for concern in found if concern.kind is not WarningKind.ASLEEP]
        self._shown = listed[:_MOST]
        for group in (self._fails, self._doubts):
            clear(group.rows)
        self.pointed.emit(())
        for number, concern in enumerate(self._shown):
            group = self._fails if concern.kind.fails else self._doubts
            chips = self._chips(concern) if concern.has_lines else []
            is_first = number == 0 and concern.kind.fails
            row = ConcernRow(concern, chips, fixes.of(concern), is_first=is_first)
            row.pointed.connect(partial(self.pointed.emit, concern.keys))
            row.left.connect(partial(self.pointed.emit, ()))
            group.rows.addWidget(row)
        self._count()
        self._say_rest(found, len(listed))
        if place is not None:
            same = (n for n, row in enumerate(self._rows()) if held and row.concern.is_same(held))
            self._focus(next(same, place))

    def _count(self) -> None:
        """Show how many posts are ready, and how many entries each group has."""
        planned = [post for post in self._workspace.posts.between(self._now(), LAST_MOMENT) if _is_due(post)]
        open_ = len(self._workspace.warnings.by_key)
        ready = max(0, len(planned) - open_)
        self._ready.setText(
            trn("{ready} of {n} post is ready", "{ready} of {n} posts are ready", len(planned), ready=ready)
        )
        self._ready.setVisible(bool(planned))
        self._good.setText(_NOTHING if planned else _NO_POSTS)
        self._meter.setVisible(bool(planned) and bool(self._shown))
        self._meter.set_share(ready / len(planned) if planned else 1)
        failing = len(self._workspace.warnings.failing())
        doubts = sum(not concern.kind.fails for concern in self._shown)
        self._fails.count.setText(trn("{n} post", "{n} posts", failing) if failing else "")
        self._doubts.count.setText(str(doubts))
        self._fails.setVisible(len(self._shown) > doubts)
        self._doubts.setVisible(bool(doubts))
        self._doubts.ignore_all.setVisible(doubts > 1)
        if open_ < self._was_open:
            announce(self, self._ready.text() if self._shown else self._good.text())
        self._was_open = open_

    def _say_rest(self, found: Sequence[Concern], listed: int) -> None:
        asleep = next((concern for concern in found if concern.kind is WarningKind.ASLEEP), None)
        self._note_words.setText(f"{asleep.title} {asleep.text}" if asleep else "")
        self._note.setVisible(asleep is not None)
        self._empty.setVisible(not self._shown)
        self._keys.setVisible(bool(self._shown))
        self._more.setText(tr("{n} more will appear once these are resolved.", n=listed - _MOST))
        self._more.setVisible(listed > _MOST)
        aside = self._workspace.warnings.aside
        self._aside.setText(trn("Show {n} ignored warning", "Show {n} ignored warnings", aside))
        self._aside.setVisible(aside > 0)

    def _rows(self) -> list[ConcernRow]:
        groups = (self._fails.rows, self._doubts.rows)
        widgets = (group.itemAt(place) for group in groups for place in range(group.count()))
        return [row for item in widgets if item and isinstance(row := item.widget(), ConcernRow)]

    def _focus(self, place: int) -> None:
        """Keep the focus in place after its entry was resolved."""
        rows = self._rows()
        if rows:
            rows[min(place, len(rows) - 1)].take_focus()
        elif self._aside.isVisible():
            self._aside.setFocus()
        else:
            self.setFocus()

    def _ignore_all(self) -> None:
        rows = [row for row in self._rows() if any(fix.way is Way.IGNORE for fix in row.fixes)]
        self.put_aside([one for row in rows for one in row.concern.warnings])

    def _chips(self, concern: Concern) -> list[PostChip]:
        found = [post for key in concern.keys if (post := self._workspace.posts.get(key)) is not None]
        return [self._chip(post) for post in found]

    def _chip(self, post: PlannedPost) -> PostChip:
        account = self._workspace.accounts.get(post.account_key)
        tokens, at = theme.current().tokens, in_zone(post.at, self._clock.zone)
        color = tokens.account(account.color_index) if account else tokens.text2
        when = f"{weekday_short(at)} {clock(at)}"
        wording = Wording(self._workspace.posts, self._workspace.accounts, self._clock.zone)
        name = tr("{post} on {platform}", post=wording.named(post), platform=platform_name(post.platform))
        chip = PostChip(post, when, color, name)
        chip.clicked.connect(partial(self.opened.emit, post.key))
        chip.pointed.connect(lambda is_on: self.pointed.emit((post.key,) if is_on else ()))
        return chip

    def _lay_out_list(self) -> None:
        self.add_to_head(self._ready)
        note = QHBoxLayout(self._note)
        note.setContentsMargins(0, 0, 0, 0)
        note.setSpacing(8)
        note.addWidget(IconLabel("info", "text3"), 0, Qt.AlignmentFlag.AlignTop)
        note.addWidget(self._note_words, 1)
        good = QHBoxLayout(self._empty)
        good.setContentsMargins(0, 0, 0, 0)
        good.setSpacing(8)
        good.addWidget(IconLabel("circle-check", "ok"), 0, Qt.AlignmentFlag.AlignTop)
        good.addWidget(self._good, 1)
        self.body.setSpacing(14)
        for widget in (
            self._meter,
            self._empty,
            self._fails,
            self._doubts,
            self._note,
            self._more,
            self._aside,
        ):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self._keys = QWidget()
        flow = FlowLayout(self._keys, gap=8)
        flow.setContentsMargins(20, 12, 20, 12)
        for keys, words in (
            (("↑", "↓"), tr("choose")),
            ((spoken("Return"),), tr("fix")),
            (("I",), tr("ignore")),
        ):
            for key in keys:
                flow.addWidget(KeyHint(key))
            flow.addWidget(Label(words, "card", "text2"))
        self.foot.addWidget(Divider())
        self.foot.addWidget(self._keys)


def _is_due(post: PlannedPost) -> bool:
    return post.status is PostStatus.SCHEDULED and not post.published and not post.may_be_live
