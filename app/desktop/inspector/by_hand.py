"""The block about a post that the user publishes by hand."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout, IconLabel, Label, primary, quiet, secondary
from app.desktop.widgets.painting import rounded
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.posts.planned import PlannedPost


class ByHand(QFrame):
    """Hidden unless a post waits for the user, or failed because they didn't publish it in time."""

    open_wanted = Signal()
    finished = Signal()
    later_wanted = Signal()
    skipped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.headline, self.advice = Label("", "strong", wrap=True), Label("", "card", "text2", wrap=True)
        self.open_button = primary("", "external-link", size="small")
        self.done_button = secondary(tr("Done"), size="small")
        self.later_button = secondary(tr("Later"), size="small")
        self.skip_button = quiet(tr("Skip"), size="small")
        for button, signal in (
            (self.open_button, self.open_wanted),
            (self.done_button, self.finished),
            (self.later_button, self.later_wanted),
            (self.skip_button, self.skipped),
        ):
            button.clicked.connect(signal)
        self._lay_out()
        self.hide()

    def show_for(self, post: PlannedPost, *, can_finish: bool) -> None:
        """Show what can be done; ``can_finish``: the user can report that the post is published."""
        self.setVisible(post.waits_for_user or can_finish)
        if self.isHidden():
            return
        name = own_name(post.platform)
        if post.waits_for_user:
            self.headline.setText(tr("Publish this on {platform} now", platform=name))
            self.advice.setText(tr("Kalends hands you the text and the file."))
        else:
            self.headline.setText(tr("Have you published it yourself?"))
            self.advice.setText(tr("Choose Done, and it counts as published."))
        self.open_button.setText(tr("Open {platform}", platform=name))
        self.open_button.updateGeometry()
        for button in (self.open_button, self.later_button, self.skip_button):
            button.setVisible(post.waits_for_user)
        self.done_button.setVisible(can_finish)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background of something that needs attention."""
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill="warn_soft")

    def _lay_out(self) -> None:
        ways = QWidget()
        flow = FlowLayout(ways, gap=8)
        for button in (self.open_button, self.done_button, self.later_button, self.skip_button):
            flow.addWidget(button)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.headline)
        words.addWidget(self.advice)
        words.addSpacing(4)
        words.addWidget(ways)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(IconLabel("bell", "warn"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
