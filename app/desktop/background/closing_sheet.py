"""What becomes of Kalends when its window is closed: asked the first time, or while posts wait."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import Button, Divider, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn


class EndingSheet(Sheet):
    """Says how many posts wait, where closing the window ends Kalends because there is no tray."""

    minimized = Signal()
    ended = Signal()

    def __init__(self, host: QWidget, posts: int) -> None:
        title = trn(
            "{n} post will not be published while Kalends is closed",
            "{n} posts will not be published while Kalends is closed",
            posts,
        )
        super().__init__(host, title, 560)
        text = tr("Kalends publishes from this computer. Minimize the window to keep publishing.")
        self.setAccessibleDescription(text)
        self.minimize, self.quit = primary(tr("Minimize")), secondary(tr("Quit Kalends"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        self.layout_.addLayout(_body(title, text))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.stay, self.quit, self.minimize))
        self.stay.clicked.connect(self.dismiss)
        self.minimize.clicked.connect(self.dismiss)
        self.minimize.clicked.connect(self.minimized)
        self.quit.clicked.connect(self.dismiss)
        self.quit.clicked.connect(self.ended)


class ClosingSheet(Sheet):
    """Two ways, and to stay at the window; either is kept for the next times."""

    chosen = Signal(bool)
    """Whether Kalends goes on without its window."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host, tr("Close the window and keep publishing?"), 560)
        text = tr(
            "Kalends publishes only while it's running. It can stay in the tray with "
            "its window closed and notify you about your posts. You can change this "
            "in Settings."
        )
        self.setAccessibleDescription(text)
        self.keep, self.quit = primary(tr("Keep publishing")), secondary(tr("Quit Kalends"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        self.layout_.addLayout(_body(self.accessibleName(), text))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.stay, self.quit, self.keep))
        self.stay.clicked.connect(self.dismiss)
        self.keep.clicked.connect(lambda: self._choose(on=True))
        self.quit.clicked.connect(lambda: self._choose(on=False))

    def _choose(self, *, on: bool) -> None:
        self.dismiss()
        self.chosen.emit(on)


def _body(title: str, text: str) -> QVBoxLayout:
    body = QVBoxLayout()
    body.setContentsMargins(20, 16, 20, 16)
    body.setSpacing(8)
    body.addWidget(Label(title, "section", wrap=True))
    body.addWidget(Label(text, "text", "text2", wrap=True))
    return body
