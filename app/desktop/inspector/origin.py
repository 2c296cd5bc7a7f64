"""Where a post comes from: what the service calls it, to ask its people about."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt

from app.desktop.widgets import Label, More
from app.desktop.words import clock, day
from app.language import tr, trc
from app.workspace.posts.reading import PostDetail


class Origin(More):
    """Hidden until there is something to say."""

    def __init__(self) -> None:
        super().__init__()
        self.text = Label("", "small", "text3", wrap=True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.body.addWidget(self.text)
        self.hide()

    def show_detail(self, detail: PostDetail, zone: ZoneInfo) -> None:
        """Say when a post was created, and every id."""
        made = detail.created_at.astimezone(zone)
        told = (
            (trc("when", "Created"), f"{day(made)}, {clock(made)}"),
            (tr("File"), detail.media_storage_path),
            (tr("Created together"), detail.batch_id or ""),
            (tr("ID"), detail.service_id or ""),
        )
        self.text.setText("\n".join(f"{label}: {value}" for label, value in told if value))
        self.show()
