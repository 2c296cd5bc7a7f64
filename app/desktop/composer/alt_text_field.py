"""The alt text of the attached file, and which of the selected platforms use it."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.media.alt_text import AltText
from app.desktop.widgets import ElidedLabel, Label, LinkButton
from app.desktop.words import joined, platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.editing.model import DraftModel
from app.workspace.media.alt_texts import alt_text_max
from app.workspace.media.media import Media

_PAUSE_MS = 300
"""A crash costs less than the last half second."""


class AltTextField(QWidget):
    """The text, and below it where it's sent.

    ``describe`` opens it, and ``described`` shows the text while it's closed; both are next to the file.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.describe, self.described = LinkButton(""), ElidedLabel("", "card", "text3")
        self.alt_text = AltText(_PAUSE_MS)
        self.passed_on = Label("", "card", "text2", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 12)
        column.setSpacing(6)
        column.addWidget(self.alt_text)
        column.addWidget(self.passed_on)
        self.describe.clicked.connect(self.open)
        self.alt_text.edited.connect(self._name)
        self.close_field()

    def offer(self) -> None:
        """Show the button that adds an alt text."""
        self._name()
        self.describe.setVisible(self.isHidden())

    def open(self) -> None:
        """Open the field."""
        self.show()
        self.describe.hide()
        self.described.hide()
        self.alt_text.editor.setFocus()

    def close_field(self) -> None:
        """Hide everything without a file to describe."""
        for part in (self, self.describe, self.described):
            part.hide()

    def _name(self) -> None:
        words = " ".join(self.alt_text.words.split())
        self.describe.setText(tr("Edit description…") if words else tr("Add a description…"))
        self.describe.updateGeometry()
        self.described.setText(words)
        self.described.setVisible(bool(words) and self.isHidden())

    def show_accounts(self, accounts: Collection[Account], post_type: PostType) -> None:
        """Show which of these accounts' platforms use the alt text."""
        words = passed_on(accounts, post_type, len(self.alt_text.words.strip()))
        self.passed_on.setText(words)
        self.passed_on.setVisible(bool(words))
        self.alt_text.editor.setAccessibleDescription(words)


class Describing(QObject):
    """Keeps the field and the stored alt text in sync with the file and the platforms.

    Shown while a file is attached, if the service stores alt texts.
    """

    def __init__(self, field: AltTextField, model: DraftModel, media: Media, report: OnProblem) -> None:
        super().__init__(field)
        self.field = field
        self._model, self._media = model, media
        self._accounts: tuple[Account, ...] = ()
        self._upload_id = ""
        self._writes = 0
        self._scope = TaskScope(self, report)
        field.alt_text.edited.connect(self._show_accounts)
        field.alt_text.written.connect(self._write)

    def show_for(self, accounts: Collection[Account]) -> None:
        """Show the alt text of the attached file, for these accounts."""
        self._accounts = tuple(accounts)
        upload = self._model.upload if self._media.library.can_describe else None
        if (upload_id := upload.id if upload else "") != self._upload_id:
            self.keep()
            self._upload_id = upload_id
            self.field.close_field()
            self.refresh()
        self._show_accounts()

    def refresh(self) -> None:
        """Show the stored alt text."""
        if self._upload_id:
            self._scope.start(self._show(self._upload_id))

    def keep(self) -> None:
        """Save the alt text."""
        self.field.alt_text.keep()

    def _write(self, upload_id: str, words: str) -> None:
        self._writes += 1
        self._media.alt_texts.write_soon(upload_id, words)

    async def _show(self, upload_id: str) -> None:
        upload, writes = self._media.uploads.get(upload_id), self._writes
        words = await self._media.alt_texts.of(upload) if upload is not None else ""
        if writes != self._writes:
            await self._show(upload_id)  # another text was written meanwhile
        elif upload_id == self._upload_id:
            self.field.alt_text.show_for(upload_id, words)
            self.field.offer()
            self._show_accounts()

    def _show_accounts(self) -> None:
        self.field.show_accounts(self._accounts, self._model.post_type)


def passed_on(accounts: Collection[Account], post_type: PostType, length: int) -> str:
    """Return which platforms use an alt text of a length for a type of file, in sentences."""
    most: dict[str, int] = {}
    for account in accounts:
        limit = alt_text_max(account, post_type)
        most[account.platform] = min(limit, most.get(account.platform, limit))
    given = [platform for platform, limit in most.items() if limit]
    told = [tr("Sent to {platforms}.", platforms=_named(given))] if given else []
    if without := [platform for platform in most if platform not in given]:
        told.append(_takes_none(without, post_type))
    told += [
        tr(
            "{platform} gets the first {most} characters.",
            platform=platform_name(platform),
            most=most[platform],
        )
        for platform in given
        if length > most[platform]
    ]
    return " ".join(told)


def _takes_none(platforms: Sequence[str], post_type: PostType) -> str:
    number, named = len(platforms), _named(platforms)
    match post_type:
        case PostType.IMAGE:
            return trn(
                "{platforms} doesn't support alt text for images.",
                "{platforms} don't support alt text for images.",
                number,
                platforms=named,
            )
        case PostType.VIDEO:
            return trn(
                "{platforms} doesn't support alt text for videos.",
                "{platforms} don't support alt text for videos.",
                number,
                platforms=named,
            )
        case _:
            return trn(
                "{platforms} doesn't support alt text for this file.",
                "{platforms} don't support alt text for this file.",
                number,
                platforms=named,
            )


def _named(platforms: Sequence[str]) -> str:
    return joined([platform_name(platform) for platform in platforms])
