"""The block about a post that the user publishes by hand."""

from PySide6.QtCore import Signal

from app.desktop.inspector.notice_block import NoticeBlock
from app.desktop.widgets import primary, quiet, secondary
from app.language import tr
from app.platforms.cards import own_name
from app.workspace.posts.planned import PlannedPost


class ByHand(NoticeBlock):
    """Hidden unless a post waits for the user, or failed because they didn't publish it in time."""

    open_wanted = Signal()
    finished = Signal()
    later_wanted = Signal()
    skipped = Signal()

    def __init__(self) -> None:
        super().__init__("bell", "warn")
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
        self.lay_out((self.open_button, self.done_button, self.later_button, self.skip_button))

    def show_for(self, post: PlannedPost, *, can_finish: bool) -> None:
        """Show what can be done; ``can_finish``: the user can report that the post is published."""
        self.setVisible(post.waits_for_user or can_finish)
        if self.isHidden():
            return
        name = own_name(post.platform)
        if post.waits_for_user:
            self.headline.setText(tr("Publish this on {platform} now", platform=name))
            self.advice.setText(
                tr("Kalends gives you the text and the file.")
                if post.media
                else tr("Kalends gives you the text.")
            )
        else:
            self.headline.setText(tr("Have you published it yourself?"))
            self.advice.setText(tr("Choose Done, and it counts as published."))
        self.open_button.setText(tr("Open {platform}", platform=name))
        self.open_button.updateGeometry()
        for button in (self.open_button, self.later_button, self.skip_button):
            button.setVisible(post.waits_for_user)
        self.done_button.setVisible(can_finish)
