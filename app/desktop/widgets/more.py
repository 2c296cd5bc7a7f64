"""What few people need, behind a button."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets.button import Button
from app.language import tr


class More(QWidget):
    """Fill ``body``; it shows while the button is down."""

    def __init__(self) -> None:
        super().__init__()
        self.button = Button(tr("More"), "quiet", icon="chevron-down", size="small")
        self.button.setCheckable(True)
        holder = QWidget()
        holder.hide()
        self.body = QVBoxLayout(holder)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(holder)
        self.button.toggled.connect(holder.setVisible)
