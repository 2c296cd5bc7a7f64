"""The title of a post, where a platform has one."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import PostingPlatform, PostType
from app.desktop.carried import writable
from app.desktop.widgets import Field, Label, LineEdit
from app.desktop.words import joined, platform_name
from app.language import number, tr
from app.workspace.rules import RULES

_ONE_LINE = str.maketrans("\n\t", "  ")


class TitleField(QWidget):
    """A line with its length beside the label; hidden where no platform has a title for the kind of post."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = LineEdit()
        self._length = Label("", "small", "text3")
        self._field = Field(tr("Title"), self.line, trailing=self._length)
        self._most: int | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._field)
        self.line.textEdited.connect(self._edited)
        self.hide()

    def title(self) -> str:
        """Return what is written, in one line: what is pasted may have several, or parts nobody can see."""
        return writable(self.line.text()).translate(_ONE_LINE)

    def set_title(self, title: str) -> None:
        """Show a title, without a notice."""
        if title != self.line.text():
            self.line.setText(title)
        self._show_length()

    def show_for(self, platforms: Iterable[PostingPlatform], post_type: PostType) -> None:
        """Show itself where one of the platforms has a title for this kind of post; the least room counts."""
        rules = {one: RULES[one] for one in platforms if one in RULES}
        titled = {one: found for one, found in rules.items() if post_type in found.title_types}
        self._most = min((one.title_max for one in titled.values() if one.title_max), default=None)
        names = joined([platform_name(one.value) for one in titled])
        needed = [platform_name(one.value) for one, found in titled.items() if found.title_needed]
        help_ = [tr("For {platforms}.", platforms=names)] if names else []
        if needed:
            first_line = tr(
                "Without a title, {platforms} gets the first line of the text.", platforms=joined(needed)
            )
            help_.append(first_line)
        self._field.set_help(" ".join(help_))
        self.setVisible(bool(titled))
        self._show_length()

    def _edited(self) -> None:
        self._show_length()
        self.changed.emit()

    def _show_length(self) -> None:
        length = len(self.line.text())
        self._length.setText(f"{number(length)}/{number(self._most)}" if self._most else "")
        self._length.set_tone("bad" if self._most and length > self._most else "text3")
