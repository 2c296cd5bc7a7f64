"""What becomes of Kalends when its window is closed: asked the first time."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.media.import_sheet import feet
from app.desktop.widgets import Button, Divider, Label, Sheet, primary, secondary
from app.language import tr


class ClosingSheet(Sheet):
    """Two ways, and to stay at the window; either is kept for the next times."""

    chosen = Signal(bool)
    """Whether Kalends goes on without its window."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host, tr("Close the window and keep publishing?"), 560)
        text = tr(
            "Posts go out from this computer only while Kalends runs. It can stay in the tray without its "
            "window, and tell you what happens. You can change this in the settings at any time."
        )
        self.setAccessibleDescription(text)
        self.keep, self.quit = primary(tr("Keep publishing")), secondary(tr("Quit Kalends"))
        self.stay = Button(tr("Cancel"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(20, 16, 20, 16)
        body.setSpacing(8)
        body.addWidget(Label(self.accessibleName(), "section"))
        body.addWidget(Label(text, "text", "text2", wrap=True))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(feet(self.stay, self.quit, self.keep))
        self.stay.clicked.connect(self.dismiss)
        self.keep.clicked.connect(lambda: self._choose(on=True))
        self.quit.clicked.connect(lambda: self._choose(on=False))

    def _choose(self, *, on: bool) -> None:
        self.dismiss()
        self.chosen.emit(on)
