"""Title and text of the current version."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostingPlatform, PostType
from app.desktop.carried import writable
from app.desktop.composer.text_box import TextBox
from app.desktop.composer.version_tabs import Standing, VersionTabs
from app.desktop.widgets import Field, Label, LineEdit, LinkButton, announce
from app.desktop.words import joined, platform_name
from app.language import number, tr
from app.workspace.accounts.account import Account
from app.workspace.editing.accounts import posting_platform
from app.workspace.editing.draft import SHARED
from app.workspace.editing.model import DraftModel
from app.workspace.rules import RULES, TextUnit, count

_ONE_LINE = str.maketrans("\n\t", "  ")


class TitleField(QWidget):
    """A line with its length next to the label; hidden if no platform has titles for the post type."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = LineEdit()
        self._length = Label("", "small", "text3")
        self._field = Field(tr("Title"), self.line, trailing=self._length)
        self._limits: set[tuple[TextUnit, int]] = set()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._field)
        self.line.textEdited.connect(self._edited)
        self.hide()

    def title(self) -> str:
        """Return the title in one line, without the line breaks and invisible characters of pasted text."""
        return writable(self.line.text()).translate(_ONE_LINE)

    def set_title(self, title: str) -> None:
        """Set the title without emitting signals."""
        if title != self.line.text():
            self.line.setText(title)
        self._show_length()

    def show_for(self, platforms: Iterable[PostingPlatform], post_type: PostType) -> None:
        """Show itself if a platform has titles for this post type, with the lowest limit."""
        rules = {one: RULES[one] for one in platforms if one in RULES}
        titled = {one: found for one, found in rules.items() if post_type in found.title_types}
        self._limits = {(one.title_unit, one.title_max) for one in titled.values() if one.title_max}
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
        """Show the length in the unit that leaves the least room."""
        lengths = [(count(unit, self.line.text()), most) for unit, most in self._limits]
        used, most = max(lengths, key=lambda one: (one[0] - one[1], -one[1]), default=(0, 0))
        self._length.setText(f"{number(used)}/{number(most)}" if most else "")
        self._length.set_tone("bad" if used > most else "text3")


_OWN = tr("Edited for this account.")


class Writing(QWidget):
    """Shows and edits the draft's current version; the owner places ``tabs``."""

    def __init__(self, model: DraftModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown = "", ""  # text and title, as the draft has them
        self._is_typing = False
        self.tabs, self.text_box, self.title = VersionTabs(), TextBox(), TitleField()
        self._note, self.link = Label("", "card", "text3"), LinkButton(tr("Use the shared text"))
        self._difference = self._lay_out()
        self.text_box.changed.connect(self._text_edited)
        self.title.changed.connect(self._title_edited)
        self.tabs.chosen.connect(model.show_version)
        self.link.clicked.connect(self._link)
        self.refresh()

    def refresh(self, *, is_other: bool = False) -> None:
        """Show the draft; ``is_other``: another version, or another draft."""
        model = self._model
        text, title = model.text.of(model.version), model.title.of(model.version)
        is_other = is_other and not self._is_typing  # which would lose the cursor
        if is_other or text != self._shown[0]:
            self.text_box.set_text(text)
        if is_other or title != self._shown[1]:
            self.title.set_title(title)
        self._shown = text, title
        self.text_box.counters.set_counts(model.lengths(model.concerned))
        self.text_box.mark_from(model.overflow)
        self.title.show_for([posting_platform(one) for one in model.concerned], model.post_type)
        standings = {one.key: self._standing(one) for one in model.chosen}
        self.tabs.show_versions(model.chosen, model.version, standings)
        self._show_difference()

    def go_to_text(self, account_key: str = SHARED) -> None:
        """Focus the text of an account."""
        self._model.show_version(account_key if self._model.text.differs(account_key) else SHARED)
        self.text_box.editor.setFocus()

    def write_for(self, account_key: str) -> None:
        """Show an account's version, and go to where its text becomes too long."""
        self._model.show_version(account_key)
        self.text_box.go_to(self._model.overflow)

    def go_to_title(self, account_key: str = SHARED) -> None:
        """Focus the title of an account."""
        self._model.show_version(account_key if self._model.title.differs(account_key) else SHARED)
        self.title.line.setFocus()

    def _standing(self, account: Account) -> Standing:
        over = max((-count.room for count in self._model.lengths([account])), default=0)
        return Standing(self._model.is_own(account.key), over)

    def _show_difference(self) -> None:
        is_own = self._model.is_written(self._model.version)
        self._difference.setVisible(self._model.version != SHARED)
        if self._model.version != SHARED:
            linked = tr("Same as “All” until you edit it here.")
            self._note.setText(_OWN if is_own else linked)
            self.link.setVisible(is_own)

    def _text_edited(self) -> None:
        model, version = self._model, self._model.version
        differed = model.text.differs(version)
        self._shown = self.text_box.text(), self._shown[1]
        self._is_typing = True
        model.write_text(self._shown[0])
        self._is_typing = False
        if model.text.differs(version) and not differed:
            announce(self, _OWN)

    def _title_edited(self) -> None:
        self._shown = self._shown[0], self.title.title()
        self._is_typing = True
        self._model.write_title(self._shown[1])
        self._is_typing = False

    def _link(self) -> None:
        self._model.use_shared_text()
        self.text_box.editor.setFocus()

    def _lay_out(self) -> QWidget:
        difference, row = QWidget(), QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self._note)
        row.addStretch(1)
        row.addWidget(self.link)
        difference.setLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.text_box)
        column.addWidget(difference)
        return difference
