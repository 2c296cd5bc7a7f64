"""An input whose text is hidden until the person asks to see it."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.widgets import IconButton, LineEdit
from app.language import tr

_BUTTON = 24


class SecretEdit(LineEdit):
    """A line of text shown as dots, with a button in it that shows and hides it.

    Args:
        show: what the button is called while the text is hidden.
        hide: what it is called while the text shows.
        parent: the owner.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        show: str = tr("Show the key"),
        hide: str = tr("Hide the key"),
    ) -> None:
        super().__init__(parent=parent)
        self._names = {False: show, True: hide}
        self.setEchoMode(self.EchoMode.Password)
        self.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
        self.reveal = IconButton("eye", show, size="small", checkable=True, parent=self)
        self.reveal.setFixedSize(_BUTTON, _BUTTON)
        self.reveal.setCursor(Qt.CursorShape.ArrowCursor)
        self.reveal.toggled.connect(self._show_text)
        self._make_room()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 0)
        row.addStretch(1)
        row.addWidget(self.reveal)

    def changeEvent(self, event: QEvent) -> None:
        """Keeps text and button apart where the language runs the other way."""
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._make_room()
        super().changeEvent(event)

    def _make_room(self) -> None:
        room = _BUTTON - 2
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.setTextMargins(room if is_mirrored else 0, 0, 0 if is_mirrored else room, 0)

    def _show_text(self, shown: bool) -> None:
        self.setEchoMode(self.EchoMode.Normal if shown else self.EchoMode.Password)
        self.reveal.set_icon("eye-off" if shown else "eye")
        self.reveal.set_name(self._names[shown])
