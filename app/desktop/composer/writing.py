"""What is written: a text and a title for all accounts, and the versions of those that differ."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.composer.accounts import posting_platform
from app.desktop.composer.text_box import TextBox, counts
from app.desktop.composer.title_field import TitleField
from app.desktop.composer.version_tabs import Standing, VersionTabs
from app.desktop.widgets import Label, LinkButton, announce
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import SHARED, LinkedText

_OWN = tr("Edited for this account.")


class Writing(QWidget):
    """The version whose tab is chosen; ``tabs`` stands where the owner puts it."""

    changed = Signal()
    shown = Signal(str)
    """The version that is shown now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._title = LinkedText(), LinkedText()
        self._accounts: list[Account] = []
        self._post_type = PostType.TEXT
        self._own_files: frozenset[str] = frozenset()
        self.tabs, self.text_box, self.title = VersionTabs(), TextBox(), TitleField()
        self._note, self.link = Label("", "card", "text3"), LinkButton(tr("Use the shared text"))
        self._difference = self._lay_out()
        self.text_box.changed.connect(self._text_edited)
        self.title.changed.connect(self._title_edited)
        self.tabs.chosen.connect(self._show_version)
        self.link.clicked.connect(self._link)
        self._show_difference()

    @property
    def text(self) -> str:
        """The text for all."""
        return self._text.shared

    @property
    def title_text(self) -> str:
        """The title for all."""
        return self._title.shared

    @property
    def own_texts(self) -> dict[str, str]:
        """The texts that differ, by account; also of accounts that are not chosen now."""
        return dict(self._text.own)

    @property
    def own_titles(self) -> dict[str, str]:
        """The titles that differ, by account."""
        return dict(self._title.own)

    def text_for(self, version: str) -> str:
        """Return the text of a version."""
        return self._text.of(version)

    def title_for(self, version: str) -> str:
        """Return the title of a version."""
        return self._title.of(version)

    def is_empty(self) -> bool:
        """Whether no version has a text."""
        return not any(text.strip() for text in (self._text.shared, *self._text.own.values()))

    def set_post(self, text: LinkedText, title: LinkedText) -> None:
        """Show what a draft says, without a notice."""
        self._text, self._title = text, title
        self._show_version(self.tabs.current())

    def write(self, text: str, title: str) -> None:
        """Write a text and a title for all accounts in place of those that are there."""
        self.tabs.choose(SHARED)
        self._text, self._title = self._text.write(SHARED, text), self._title.write(SHARED, title)
        self._show_version(SHARED)
        self.changed.emit()

    def show_for(
        self, accounts: Sequence[Account], post_type: PostType, own_files: Collection[str] = ()
    ) -> None:
        """Offer a version for each account, and count for their platforms; some have files of their own."""
        self._accounts, self._post_type, self._own_files = list(accounts), post_type, frozenset(own_files)
        self.tabs.set_accounts(accounts)
        self._count()

    def go_to_text(self, account_key: str = SHARED) -> None:
        """Put the focus where the text of an account is written."""
        self.tabs.choose(account_key if self._text.differs(account_key) else SHARED)
        self.text_box.editor.setFocus()

    def go_to_title(self, account_key: str = SHARED) -> None:
        """Put the focus where the title of an account is written."""
        self.tabs.choose(account_key if self._title.differs(account_key) else SHARED)
        self.title.line.setFocus()

    def _concerned(self) -> list[Account]:
        """The accounts that the version shown is for."""
        version = self.tabs.current()
        return [one for one in self._accounts if version in (SHARED, one.key)]

    def _count(self) -> None:
        concerned = self._concerned()
        texts = [(posting_platform(one), self._text.of(one.key)) for one in concerned]
        self.text_box.counters.set_counts(counts(texts, self._post_type))
        self.title.show_for([posting_platform(one) for one in concerned], self._post_type)
        self.tabs.set_standing({one.key: self._standing(one) for one in self._accounts})
        self._show_difference()

    def _standing(self, account: Account) -> Standing:
        found = counts([(posting_platform(account), self._text.of(account.key))], self._post_type)
        differs = self._text.differs(account.key) or self._title.differs(account.key)
        differs = differs or account.key in self._own_files
        return Standing(differs, max((-count.room for count in found), default=0))

    def _show_version(self, version: str) -> None:
        self.text_box.set_text(self._text.of(version))
        self.title.set_title(self._title.of(version))
        self._count()
        self.shown.emit(version)

    def _show_difference(self) -> None:
        version = self.tabs.current()
        account = next((one for one in self._accounts if one.key == version), None)
        differs = self._text.differs(version) or self._title.differs(version)
        self._difference.setVisible(account is not None)
        if account is not None:
            linked = tr("Same as “All” until you edit it here.")
            self._note.setText(_OWN if differs else linked)
            self.link.setVisible(differs)

    def _text_edited(self) -> None:
        version = self.tabs.current()
        differed = self._text.differs(version)
        self._text = self._text.write(version, self.text_box.text())
        if self._text.differs(version) and not differed:
            announce(self, _OWN)
        self._edited()

    def _title_edited(self) -> None:
        self._title = self._title.write(self.tabs.current(), self.title.title())
        self._edited()

    def _edited(self) -> None:
        self._count()
        self.changed.emit()

    def _link(self) -> None:
        version = self.tabs.current()
        self._text, self._title = self._text.link(version), self._title.link(version)
        self._show_version(version)
        self.text_box.editor.setFocus()
        self.changed.emit()

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
