"""The head of the panel: the post's account and status, then its time."""

from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.inspector.facts import Tone, countdown, day
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import ElidedLabel, FlowLayout, IconButton, IconLabel, Label, PracticeTag, Reflow
from app.desktop.widgets.painting import insets
from app.desktop.words import clock, platform_name, utc_offset
from app.language import city, tr
from app.workspace.accounts.account import Account
from app.workspace.editing.schedule import in_zone


class Head(QHBoxLayout):
    """Platform, account, status, and the buttons of the panel."""

    def __init__(self, platform: str, account: Account | None) -> None:
        super().__init__()
        name = account.name if account else tr("An account that is no longer connected")
        color = theme.current().tokens.account(account.color_index) if account else "text2"
        self.status = Label("", "card", "text2")
        self.more = IconButton("ellipsis", tr("More"), size="small")
        self.close_button = IconButton("x", tr("Close"), size="small")
        self.setContentsMargins(insets(theme.current().metrics.gutter, 14, 12, 8))
        self.setSpacing(8)
        self.addWidget(IconLabel(platform_icon(platform), color, 16, platform_name(platform)))
        words = QWidget()
        line = FlowLayout(words, line_gap=2)
        line.addWidget(ElidedLabel(name, "heading"))
        line.addWidget(self.status)
        if account is not None and account.practice:
            line.addWidget(PracticeTag())
        self.addWidget(words, 1, Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(self.more)
        self.addWidget(self.close_button)

    def show_status(self, word: str, tone: Tone) -> None:
        """Show the status of the post."""
        self.status.setText(word)
        self.status.set_tone(tone)


class TimeBlock(QWidget):
    """The time first, then day and zone, and a countdown."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone
        self.clock, self.day = Label("", "hero"), Label("", "heading", wrap=True)
        self.zone, self.note = Label("", "card", "text2"), Label("", "card", "text2")
        self.left = Label("", "text", "text2", weight=QFont.Weight.DemiBold)
        date, ahead = QWidget(), QWidget()
        side = Qt.AlignmentFlag.AlignTrailing
        for holder, labels in ((date, (self.day, self.zone)), (ahead, (self.left, self.note))):
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            for label in labels:
                column.addWidget(label)
        for label in (self.left, self.note):
            label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        row = Reflow((0, 1, 0), gap=12)
        for place, part in enumerate((self.clock, date, ahead)):
            row.add(part, 0, place)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(row)

    def show_time(self, at: int, now: int, posted_at: datetime | None) -> None:
        """Show a time in ms since 1970 UTC; ``posted_at`` is when the post was published, if it was."""
        moment, here = in_zone(at, self._zone), in_zone(now, self._zone)
        self.clock.setText(clock(moment))
        self.day.setText(day(moment, here))
        self.zone.setText(f"{city(self._zone)} · {utc_offset(moment)}")
        self.left.setText(countdown(at, now))
        note = ""
        if posted_at is not None:
            note = tr("Published {time}", time=f"{posted_at.astimezone(self._zone):%H:%M:%S}")
        self.say(note)

    def say(self, note: str) -> None:
        """Show a note below the countdown; "" for none."""
        self.note.setText(note)
        self.note.setVisible(bool(note))
