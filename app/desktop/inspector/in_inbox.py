"""The block about a post in the user's inbox on the platform: its text, to be pasted there."""

from PySide6.QtCore import Signal

from app.desktop.finishing.qr_code import QrCode
from app.desktop.inspector.notice_block import NoticeBlock
from app.desktop.widgets import secondary
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.posts.planned import PlannedPost


class InInbox(NoticeBlock):
    """Hidden unless a post is in the inbox."""

    copy_wanted = Signal()
    code_wanted = Signal()
    """`draw_code` is to be called."""

    def __init__(self) -> None:
        super().__init__("bell", "warn")
        self.copy_button = secondary(tr("Copy text"), "copy", size="small")
        self.qr_code = QrCode()
        self.copy_button.clicked.connect(self.copy_wanted)
        self.qr_code.button.clicked.connect(self._toggle)
        self.lay_out((self.copy_button, self.qr_code.button), self.qr_code)

    def show_for(self, post: PlannedPost, text: str) -> None:
        """Show how to publish the post; ``text`` is its whole text, empty if there's none or it's unknown."""
        self.setVisible(post.is_in_inbox)
        if self.isHidden():
            return
        name = own_name(post.platform)
        self.headline.setText(tr("In your {platform} inbox: finish it there", platform=name))
        if text:
            first = tr(
                "In the {platform} app, open the message about this post and paste the text. "
                "Copy it here, or scan the QR code with your phone.",
                platform=name,
            )
        else:
            first = tr("In the {platform} app, open the message about this post.", platform=name)
        then = tr(
            "Kalends updates the post once it's published. If that takes too long, it's marked as failed."
        )
        self.advice.setText(f"{first} {then}")
        self.copy_button.setVisible(bool(text))
        self.qr_code.set_text(text)
        self.code_wanted.emit()

    async def draw_code(self) -> None:
        """Draw the QR code, if it's open."""
        await self.qr_code.draw()
        self.qr_code.reveal()

    def _toggle(self) -> None:
        self.qr_code.toggle()
        self.code_wanted.emit()
