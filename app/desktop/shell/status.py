"""The status line: the last sync, waiting changes, the next post, and the time zone."""

from datetime import UTC, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop import words
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.widgets.painting import mirrored, rounded, shows_focus
from app.desktop.widgets.screen_reader import rename, spoken_as
from app.language import number, tr, trn
from app.workspace.clock import now_in, wall_clock
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.sync.status import SyncStatus

_HEIGHT = 28
_INSET = 16
_GAP = 20
_DOT = 6
_SLOW_MS = 500
_START = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class Facts(Protocol):
    """The data of the line, from a workspace."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def sync(self) -> SyncStatus: ...


@spoken_as(QAccessible.Role.StatusBar)
class StatusLine(QWidget):
    """Facts about the service on the left, about time on the right. F6 reaches it, Tab doesn't."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        grow(self, QWidget.setFixedHeight, _HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._zone = zone
        self._workspace: Facts | None = None
        self._left: list[str] = []
        self._right: list[str] = []
        self._role = "ok"
        self._progress = tr("Starting")
        self._uploads = self._waiting = ""
        self._is_next_elsewhere = False
        self._clock = QTimer(self, interval=15_000)
        self._clock.timeout.connect(self.refresh)
        self._clock.start()
        self._is_slow = False
        self._saving = QTimer(self, singleShot=True, interval=_SLOW_MS)
        self._saving.timeout.connect(self._saving_is_slow)
        theme.notifier().changed.connect(self.update)
        self.refresh()

    @property
    def role(self) -> str:
        """The colour role of the dot: "warn" if the service is away, "bad" if the user has to act."""
        return self._role

    def set_workspace(self, workspace: Facts | None) -> None:
        """Show the state of another workspace."""
        self._workspace = workspace
        self._uploads = ""
        self._progress = "" if workspace else self._progress
        self.refresh()

    def set_zone(self, zone: ZoneInfo) -> None:
        """Show times in another zone."""
        self._zone = zone
        self.refresh()

    def set_uploads(self, told: str) -> None:
        """Show what is being uploaded; empty for nothing."""
        if told != self._uploads:
            self._uploads = told
            self.refresh()

    def set_waiting(self, told: str) -> None:
        """Show how many posts the user has to publish by hand; empty for none."""
        if told != self._waiting:
            self._waiting = told
            self.refresh()

    def set_next_elsewhere(self, is_elsewhere: bool) -> None:
        """Leave out the next post while the sidebar shows it."""
        if is_elsewhere != self._is_next_elsewhere:
            self._is_next_elsewhere = is_elsewhere
            self.refresh()

    def set_progress(self, text: str) -> None:
        """Show the progress of the start instead of the last sync; empty for nothing."""
        self._progress = text
        self.refresh()

    def refresh(self) -> None:
        """Update the texts."""
        (fresh, *waiting), self._role = self._sync_words()
        self._left = [fresh, *filter(None, [self._waiting, self._uploads]), *waiting]
        self._right = self._time_words()
        rename(self, " · ".join((*self._left, *self._right)))
        self.setToolTip(_tip(self._workspace.sync) if self._workspace else "")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(400, _HEIGHT)

    def _sync_words(self) -> tuple[list[str], str]:
        if self._workspace is None or self._progress:
            return [self._progress], "text3"
        sync = self._workspace.sync
        waiting = [*self._saving_words(sync), *_waiting_words(sync)]
        if sync.problem:
            told = tr("Key rejected") if sync.key_refused else sync.problem  # a strip has the sentence
            return [told, *waiting], "bad"
        if sync.is_away:
            return [_away(sync.last_synced, self._zone), *waiting], "warn"
        if sync.silent_since is not None:
            return [_silent(sync.silent_since), *waiting], "warn"
        if sync.conflicts:
            told = trn("{n} post changed elsewhere", "{n} posts changed elsewhere", sync.conflicts)
            return [told, *waiting], "warn"
        if sync.listed is not None:
            return [tr("Loading posts, {n} so far", n=number(sync.listed)), *waiting], "text3"
        return [_age(sync.last_synced), *waiting], "ok" if sync.connected else "text3"

    def _saving_words(self, sync: SyncStatus) -> list[str]:
        """Return a text about saving, only if it takes longer than usual, as on a full disk."""
        if not sync.saving:
            self._saving.stop()
            self._is_slow = False
        elif not self._is_slow and not self._saving.isActive():
            self._saving.start()
        return [trn("Saving {n} change", "Saving {n} changes", sync.saving)] if self._is_slow else []

    def _saving_is_slow(self) -> None:
        self._is_slow = True
        self.refresh()

    def _time_words(self) -> list[str]:
        zone = f"{self._zone.key} · {words.utc_offset(now_in(self._zone))}"
        following = self._next_post()
        return [tr("Next: {post}", post=self._day_and_time(following)), zone] if following else [zone]

    def _next_post(self) -> PlannedPost | None:
        if self._workspace is None or self._is_next_elsewhere:
            return None
        now = wall_clock()
        return self._workspace.posts.next_scheduled(now)

    def _day_and_time(self, post: PlannedPost) -> str:
        moment = datetime.fromtimestamp(post.at / 1_000, self._zone)
        today = moment.date() == now_in(self._zone).date()
        when = words.clock(moment) if today else f"{words.day(moment)} {words.clock(moment)}"
        return f"{when} {words.platform_name(post.ruled_by)}"

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint background, separator, dot and texts."""
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("sunken"))
        painter.fillRect(0, 0, self.width(), 1, look.color("line"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(self._role))
        dot = QRect(_INSET - 2, (self.height() - _DOT) // 2 + 1, _DOT, _DOT)
        painter.drawEllipse(mirrored(self, dot))
        painter.setFont(look.font("card"))
        right_edge = self._paint_right(painter)
        self._paint_left(painter, right_edge)
        if shows_focus(self):
            rounded(painter, self.rect().toRectF(), look.metrics.radius, line="accent", width=2)

    def _paint_right(self, painter: QPainter) -> int:
        painter.setPen(theme.current().color("text3"))
        edge, least = self.width() - _INSET, self._least_right(painter.fontMetrics())
        for fact in reversed(self._right):
            width = painter.fontMetrics().horizontalAdvance(fact)
            if edge - width - _GAP < least:  # progress is shown completely
                break
            place = mirrored(self, QRect(edge - width, 0, width, self.height()))
            painter.drawText(place, _START, fact)
            edge -= width + _GAP
        return edge

    def _least_right(self, metrics: QFontMetrics) -> int:
        """Return where the right part may begin: after everything on the left."""
        left = _INSET + _DOT + 6 - _GAP
        return left + sum(metrics.horizontalAdvance(fact) + _GAP for fact in self._left)

    def _paint_left(self, painter: QPainter, right_edge: int) -> None:
        look = theme.current()
        left = _INSET + _DOT + 6
        for index, fact in enumerate(self._left):
            painter.setPen(look.color("bad" if self._role == "bad" and index == 0 else "text2"))
            room = max(0, right_edge - left)
            shown = painter.fontMetrics().elidedText(fact, Qt.TextElideMode.ElideRight, room)
            painter.drawText(mirrored(self, QRect(left, 0, room, self.height())), _START, shown)
            left += painter.fontMetrics().horizontalAdvance(shown) + _GAP


def _waiting_words(sync: SyncStatus) -> list[str]:
    """Return a text about unsent changes; conflicts are shown elsewhere."""
    waiting = sync.waiting - sync.conflicts
    return [trn("{n} change waiting", "{n} changes waiting", waiting)] if waiting > 0 else []


def _away(synced: datetime | None, zone: ZoneInfo) -> str:
    if synced is None:
        return tr("Offline")
    return tr("Offline since {time}", time=words.clock(synced.astimezone(zone)))


def _silent(since: datetime) -> str:
    seconds = round((now_in(UTC) - since).total_seconds())
    if seconds < 90:
        return tr("No response from the service for {n} s", n=max(1, seconds))
    return tr("No response from the service for {n} min", n=round(seconds / 60))


def _tip(sync: SyncStatus) -> str:
    if sync.problem:
        return sync.problem
    if sync.is_away:
        return tr("Your changes are saved and will be sent when the service is reachable.")
    return (
        tr("Changes arrive in real time.") if sync.followed else tr("Kalends checks the service for changes.")
    )


def _age(synced: datetime | None) -> str:
    if synced is None:
        return tr("Not synced yet")
    seconds = (now_in(UTC) - synced).total_seconds()
    if seconds < 90:
        return tr("Synced just now")
    if seconds < 5_400:
        return tr("Synced {n} min ago", n=round(seconds / 60))
    return tr("Synced {n} h ago", n=round(seconds / 3_600))
