"""Asks before a link begins a post: it may come from any web page."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.links.errands import BeginPost
from app.desktop.widgets import Divider, ElidedLabel, Label, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn

_INSET = 20
_LINES_MOST = 6
_SHOWN_MOST = 600
_NAMED_MOST = 5


class LinkSheet(Sheet):
    """Shows the text, the time and the files that a link brings."""

    wanted = Signal()
    """The post is to be begun."""

    def __init__(self, host: QWidget, errand: BeginPost, time: str) -> None:
        """``time`` is the time of the post as people read it, empty without one."""
        super().__init__(host, tr("Start a post from a link?"), 480)
        self.begin = primary(tr("Start post"))
        self.leave = secondary(tr("Cancel"))
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(tr("Start a post from a link?"), "section"))
        note = tr("A web page or another program wants to start this post. Nothing is scheduled yet.")
        self.setAccessibleDescription(note)
        body.addWidget(Label(note, wrap=True))
        if errand.text:
            body.addWidget(Label(_beginning(errand.text), "card", "text2", wrap=True))
        if time:
            body.addWidget(Label(time, "card", "text2"))
        for file in errand.files[:_NAMED_MOST]:
            body.addWidget(ElidedLabel(str(file), "card", "text2", elide="middle"))
        if (more := len(errand.files) - _NAMED_MOST) > 0:
            body.addWidget(Label(trn("and {n} more file", "and {n} more files", more), "card", "text2"))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.leave, self.begin))
        self.leave.clicked.connect(self.dismiss)
        self.begin.clicked.connect(self._accept)

    def _accept(self) -> None:
        self.dismiss()
        self.wanted.emit()


def _beginning(text: str) -> str:
    lines = text[:_SHOWN_MOST].splitlines()[:_LINES_MOST]
    shown = "\n".join(lines)
    return shown if shown == text else f"{shown}…"
