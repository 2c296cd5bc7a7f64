"""A file as large as the window: pictures are zoomed and moved, videos are played."""

import asyncio

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import TaskScope
from app.desktop.media.canvas import STEP, Canvas
from app.desktop.media.cover_row import CoverRow
from app.desktop.media.player import Player
from app.desktop.media.transport import Transport
from app.desktop.media.viewed import Viewed
from app.desktop.opening import open_video
from app.desktop.theme.growing import grow
from app.desktop.widgets import Divider, ElidedLabel, IconButton, Label, Sheet, announce
from app.language import tr
from app.workspace.media.local_file import is_video

_MARGIN = 120
_FAR_MS = 5_000
_NO_PICTURE = tr("No preview available right now.")


class Preview(Sheet):
    """One file. Where there are several the arrows walk to the next and the previous one (``walks``)."""

    walked = Signal(int)
    """The person wants the next file (1) or the one before (-1)."""

    def __init__(self, host: QWidget, *, walks: bool = True) -> None:
        room = host.window().size() - QSize(_MARGIN, _MARGIN)
        super().__init__(host.window(), tr("Preview"), room.width())
        self._viewed: Viewed | None = None
        self._walks = walks
        self._scope = TaskScope(self)
        self.canvas = Canvas(room.height())
        self.player = Player(self)
        self.transport, self.cover = Transport(self.player), CoverRow(self.player)
        self.name, self.facts = ElidedLabel("", "heading", elide="middle"), Label("", "card", "text3")
        self.smaller = IconButton("minus", tr("Smaller (−)"), size="small")  # noqa: RUF001  the key's sign
        self.larger = IconButton("plus", tr("Larger (+)"), size="small")
        self.scale = Label("", "card", "text2")
        self.elsewhere = IconButton("external-link", tr("Open in the system player"), size="small")
        self.before = IconButton("chevron-left", tr("Previous file (←)"), size="small")
        self.next = IconButton("chevron-right", tr("Next file (→)"), size="small")
        self.cross = IconButton("x", tr("Close (Esc)"), size="small")
        self._lay_out()
        self._connect()

    def show_file(self, viewed: Viewed) -> None:
        """Show a file; its small picture comes first."""
        self._viewed = viewed
        self.name.setText(viewed.name)
        self.facts.setText(viewed.facts)
        self.setAccessibleName(f"{viewed.name}, {viewed.facts}")
        if self.isVisible():
            announce(self, self.accessibleName())
        is_video = viewed.kind is PostType.VIDEO
        self.elsewhere.hide()
        self.transport.setVisible(is_video)
        self.cover.hide()
        self.canvas.set_picture(QImage())
        self._scope.cancel()
        self.player.stop()
        self._scope.start(self._load(viewed))
        if is_video:
            self._scope.start(self._offer_player(viewed))
            self.transport.wait()
            self.cover.show_for(viewed.choose_cover, viewed.cover_ms)
            self.player.show(viewed.video)

    def dismiss(self) -> None:
        """Close it, and let go of the video."""
        self.player.stop()
        super().dismiss()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, play, zoom and close."""
        far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Left if far:
                self.transport.step(step[Qt.Key(event.key())] * _FAR_MS)
            case Qt.Key.Key_Right | Qt.Key.Key_Down | Qt.Key.Key_Left | Qt.Key.Key_Up if self._walks:
                self.walked.emit(step[Qt.Key(event.key())])
            case Qt.Key.Key_Space:
                self.player.toggle()
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.canvas.zoom(STEP)
            case Qt.Key.Key_Minus:
                self.canvas.zoom(1 / STEP)
            case Qt.Key.Key_0:
                self.canvas.fit()
            case _:
                super().keyPressEvent(event)

    async def _load(self, viewed: Viewed) -> None:
        found = False
        for fetch in viewed.pictures:
            content = await fetch()
            if content is not None:
                found = True
                picture = await asyncio.to_thread(QImage.fromData, content)
                if not self.player.is_open:
                    self.canvas.set_picture(picture, viewed.size)
        if not found and viewed.kind is not PostType.VIDEO:
            self.canvas.say(_NO_PICTURE)

    async def _offer_player(self, viewed: Viewed) -> None:
        """The system's player opens nothing but videos, by what they hold and by their names."""
        if viewed.local is not None and await asyncio.to_thread(is_video, viewed.local):
            self.elsewhere.show()

    def _show_moment(self, picture: QImage) -> None:
        self.canvas.set_picture(picture, self._viewed.size if self._viewed else QSize())

    def _open_elsewhere(self) -> None:
        if self._viewed is not None and self._viewed.local is not None:
            self._scope.start(open_video(self._viewed.local))

    def _show_scale(self) -> None:
        shown = self.canvas.share
        words = f"{round(shown * 100)} %" if shown else ""
        if words != self.scale.text():
            self.scale.setText(words)
        for button in (self.smaller, self.larger):
            button.setEnabled(bool(shown))

    def _connect(self) -> None:
        self.smaller.clicked.connect(lambda: self.canvas.zoom(1 / STEP))
        self.larger.clicked.connect(lambda: self.canvas.zoom(STEP))
        self.canvas.zoomed.connect(self._show_scale)
        self.canvas.resized.connect(lambda: self.player.fit(self.canvas.room))
        self.player.pictured.connect(self._show_moment)
        self.before.clicked.connect(lambda: self.walked.emit(-1))
        self.next.clicked.connect(lambda: self.walked.emit(1))
        self.elsewhere.clicked.connect(self._open_elsewhere)
        self.cross.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 10, 10)
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        head.addStretch(1)
        tools = self.elsewhere, self.smaller, self.scale, self.larger, self.before, self.next, self.cross
        for widget in tools:
            head.addWidget(widget)
        grow(self.scale, QWidget.setFixedWidth, 44)
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(self.canvas, 1)
        self.layout_.addWidget(self.transport)
        self.layout_.addWidget(self.cover)
        for widget in (self.before, self.next):
            widget.setVisible(self._walks)
