"""One entry of the list: what is wrong, with which posts, and what helps."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.warnings.wording import Concern
from app.desktop.widgets import Button, ElidedLabel, FlowLayout, IconLabel, Label, LinkButton, Panel
from app.language import tr
from app.workspace.warnings.warning import WarningKind

_MOST_LINES = 3


class Fix(NamedTuple):
    """A way out: what its button says, and what it does."""

    words: str
    act: Callable[[], None]


class ConcernCard(Panel):
    """Says what is wrong and offers the ways out.

    Args:
        concern: what it is about.
        lines: its posts in one line each, in the order of the concern's keys; none where it is about one.
        fixes: the ways out; what helps most comes first.
    """

    opened = Signal(str)
    """The key of a post."""

    def __init__(self, concern: Concern, lines: Sequence[str], fixes: Sequence[Fix]) -> None:
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
            column.addWidget(Label(tr("and {n} more", n=others), "card", "text3"))
        self._buttons = [_button(fix) for fix in fixes]
        if fixes:
            column.addSpacing(3)
            column.addWidget(_row(self._buttons))

    def take_focus(self) -> None:
        """Gives the keyboard to the first way out."""
        if self._buttons:
            self._buttons[0].setFocus()


def _head(concern: Concern) -> QHBoxLayout:
    head = QHBoxLayout()
    head.setSpacing(8)
    if concern.kind in (WarningKind.ASLEEP, WarningKind.USUALLY_OFF):
        head.addWidget(IconLabel("moon", "text3" if concern.kind is WarningKind.ASLEEP else "warn", 14))
    elif concern.kind.fails:
        head.addWidget(IconLabel("triangle-alert", "bad", 14, tr("Will fail")))
    else:
        head.addWidget(IconLabel("triangle-alert", "warn", 14, tr("To check")))
    head.addWidget(ElidedLabel(concern.title, weight=QFont.Weight.Medium), 1)
    return head


def _button(fix: Fix) -> Button:
    button = Button(fix.words, size="small")
    button.clicked.connect(lambda _checked: fix.act())
    return button


def _row(buttons: Sequence[Button]) -> QWidget:
    holder = QWidget()
    flow = FlowLayout(holder, gap=8)
    for button in buttons:
        flow.addWidget(button)
    return holder
