"""The block about a post in the user's inbox on the platform: its text, to be pasted there."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.finishing.qr_code import QrCode
from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout, IconLabel, Label, secondary
from app.desktop.widgets.painting import rounded
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.posts.planned import PlannedPost


class InInbox(QFrame):
    """Hidden unless a post is in the inbox."""

    copy_wanted = Signal()
    code_wanted = Signal()
    """Draw the QR code, if it's open."""

    def __init__(self) -> None:
        super().__init__()
        self.headline, self.advice = Label("", "strong", wrap=True), Label("", "card", "text2", wrap=True)
        self.copy_button = secondary(tr("Copy text"), "copy", size="small")
        self.qr_code = QrCode()
        self.copy_button.clicked.connect(self.copy_wanted)
        self.qr_code.button.clicked.connect(self._toggle)
        self._lay_out()
        self.hide()

    def show_for(self, post: PlannedPost, text: str) -> None:
        """Show how to publish the post; ``text`` is its whole text, empty if there's none or it's unknown."""
        self.setVisible(post.is_in_inbox)
        if self.isHidden():
            return
        name = own_name(post.platform)
        self.headline.setText(tr("In your {platform} inbox: finish it there", platform=name))
        parts = [tr("Open {platform}'s app on your phone and its message about this post.", platform=name)]
        if text:
            parts.append(tr("Paste the text there: copy it here, or scan it as a QR code."))
        parts.append(tr("Kalends notices when it's published. After 24 hours, the post counts as failed."))
        self.advice.setText(" ".join(parts))
        self.copy_button.setVisible(bool(text))
        self.qr_code.set_text(text)
        self.code_wanted.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the background of something that needs attention."""
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill="warn_soft")

    def _toggle(self) -> None:
        self.qr_code.toggle()
        self.code_wanted.emit()

    def _lay_out(self) -> None:
        ways = QWidget()
        flow = FlowLayout(ways, gap=8)
        for button in (self.copy_button, self.qr_code.button):
            flow.addWidget(button)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.headline)
        words.addWidget(self.advice)
        words.addSpacing(4)
        words.addWidget(ways)
        words.addWidget(self.qr_code)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(IconLabel("bell", "warn"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
