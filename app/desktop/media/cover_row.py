"""The cover of a video, and the platforms that show it."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.media.player import Player
from app.desktop.media.wording import length
from app.desktop.widgets import Button, Label, announce
from app.desktop.words import joined, platform_name
from app.language import tr
from app.workspace.media.fitting import cover_takers
from app.workspace.messages import Problem

Choose = Callable[[int | None], Awaitable[None]]


class CoverRow(QWidget):
    """Offers the picture that a player shows as the cover; hidden where there is nowhere to keep a choice."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self._choose: Choose | None = None
        self._scope = TaskScope(self)
        self.use = Button(tr("Use this frame as cover"), icon="image", size="small")
        self.note = Label("", "card", "text3", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 10)
        row.setSpacing(12)
        row.addWidget(self.use)
        row.addWidget(self.note, 1)
        self.use.clicked.connect(self._use)
        player.opened.connect(lambda: self.setVisible(self._choose is not None))
        player.failed.connect(lambda _words: self.hide())
        self.hide()

    def show_for(self, choose: Choose | None, cover_ms: int | None) -> None:
        """Go by another video, whose cover is this moment (None: none was chosen), once it is open."""
        self._scope.cancel()
        self.hide()
        self._choose = choose
        self._say(cover_ms)

    def _say(self, cover_ms: int | None) -> None:
        if cover_ms is not None:
            words = tr(
                "The cover is the frame at {time}. {platforms} use it; other platforms choose their own.",
                time=length(cover_ms),
                platforms=joined([platform_name(platform) for platform in cover_takers()]),
            )
        else:
            words = tr("No cover selected. Kalends shows the first frame; each platform chooses its own.")
        self.note.setText(words)
        self.note.set_tone("text3")
        self.use.setAccessibleDescription(self.note.text())

    def _use(self) -> None:
        if self._choose is not None:
            if self._player.is_playing:
                self._player.toggle()
            self._scope.cancel()
            self._scope.start(self._keep(self._choose, self._player.position_ms))

    async def _keep(self, choose: Choose, cover_ms: int | None) -> None:
        try:
            await choose(cover_ms)
        except Problem as problem:
            self.note.setText(problem.text)
            self.note.set_tone("bad")
        else:
            self._say(cover_ms)
        announce(self, self.note.text())
