"""One entry of the list: what is wrong, with which posts, and what helps."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.warnings.wording import Concern
from app.desktop.widgets import Button, ElidedLabel, FlowLayout, IconLabel, Label, LinkButton, Panel
from app.workspace.warnings.warning import WarningKind

_MOST_LINES = 3


class ConcernCard(Panel):
    """Says what is wrong and offers the ways out.

    Args:
        concern: what it is about.
        lines: the posts of an account in one line each, in the order of the concern's keys; else none.
        move_to: where its post could go, in words; "" where that helps nothing.
        can_connect: whether its account can be connected from here.
    """

    opened = Signal(str)
    """The key of a post."""
    rewritten = Signal(str)
    reconnected = Signal()
    moved = Signal()
    cancelled = Signal()

    def __init__(
        self, concern: Concern, lines: Sequence[str], *, move_to: str = "", can_connect: bool = False
    ) -> None:
        is_note = concern.kind is WarningKind.ASLEEP
        super().__init__("faint" if is_note else "plain")
        self.setAccessibleName(". ".join(filter(None, (concern.title, concern.whose, concern.text))))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(5)
        column.addLayout(_head(concern))
        if concern.whose:
            column.addWidget(ElidedLabel(concern.whose, "card", "text3"))
        column.addWidget(Label(concern.text, "card", "text2", wrap=True))
        for key, line in zip(concern.keys[:_MOST_LINES], lines, strict=False):
            link = LinkButton(line)
            link.clicked.connect(partial(self.opened.emit, key))
            column.addWidget(link)
        if lines and (others := len(concern.keys) - _MOST_LINES) > 0:
            column.addWidget(Label(f"and {others} more", "card", "text3"))
        fixes = self._fixes(concern, is_alone=not lines, move_to=move_to, can_connect=can_connect)
        if fixes:
            column.addSpacing(3)
            column.addWidget(_row(fixes))

    def _fixes(self, concern: Concern, *, is_alone: bool, move_to: str, can_connect: bool) -> list[Button]:
        """What helps most comes first."""
        found: list[Button] = []
        if can_connect:
            words = "Connect again" if concern.kind is WarningKind.NO_ACCOUNT else "Reconnect"
            found.append(_button(words, self.reconnected.emit))
        if concern.kind is WarningKind.SAME_TEXT:
            found.append(_button("Cancel this one", self.cancelled.emit))
        if move_to:
            found.append(_button(f"Move to {move_to}", self.moved.emit))
        if concern.text_only and concern.kind in (WarningKind.RULE, WarningKind.SAME_TEXT):
            found.append(_button("Write it anew", partial(self.rewritten.emit, concern.keys[0])))
        if is_alone and concern.keys:
            found.append(_button("Open", partial(self.opened.emit, concern.keys[0])))
        return found


def _head(concern: Concern) -> QHBoxLayout:
    head = QHBoxLayout()
    head.setSpacing(8)
    if concern.kind is WarningKind.ASLEEP:
        head.addWidget(IconLabel("moon", "text3", 14))
    elif concern.kind.fails:
        head.addWidget(IconLabel("triangle-alert", "bad", 14, "Will fail"))
    else:
        head.addWidget(IconLabel("triangle-alert", "warn", 14, "To check"))
    head.addWidget(ElidedLabel(concern.title, weight=QFont.Weight.Medium), 1)
    return head


def _button(text: str, act: object) -> Button:
    button = Button(text, size="small")
    button.clicked.connect(act)
    return button


def _row(buttons: Sequence[Button]) -> QWidget:
    holder = QWidget()
    flow = FlowLayout(holder, gap=8)
    for button in buttons:
        flow.addWidget(button)
    return holder
