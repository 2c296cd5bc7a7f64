"""The preview of a draft: its picture, text, time and accounts, and its actions."""

from PySide6.QtWidgets import QWidget

from app.desktop.kit.post_preview import PostPreview
from app.desktop.media.cover import Cover
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.upload_words import standing
from app.desktop.widgets import Reflow, danger, primary
from app.desktop.words import handle, platform_name
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload


class DraftPreview(PostPreview):
    """Shows one draft."""

    def __init__(self, media: Media) -> None:
        self.cover = Cover(media)
        super().__init__(self.cover)
        self.open_button, self.delete_button = primary(tr("Open"), "pencil"), danger(tr("Delete"), "trash-2")
        self.cover.described.connect(self._show_alt_text)
        self.show_alt_text("")
        buttons = Reflow((1, 1), gap=8)
        buttons.add(self.open_button, 0, 0)
        buttons.add(self.delete_button, 0, 1)
        self.foot.addWidget(buttons)

    def show_draft(
        self, draft: ComposerDraft, accounts: list[Account], when: str, upload: Upload | None
    ) -> None:
        """Show a draft, its accounts, its time in words, and its file."""
        title = draft.title.strip()
        text = draft.text.strip()
        self.show_words(title, text or ("" if title else tr("Nothing written yet")))
        self.cover.show_upload(upload)
        self.clear_facts()
        tokens = theme.current().tokens
        for account in accounts:
            self.add_fact(
                platform_icon(account.platform.value),
                tokens.account(account.color_index),
                account_words(account),
            )
        if not accounts:
            self.add_fact("users", "text3", tr("No account"))
        self.add_fact("clock", "text3", when)
        if upload is not None:
            icon, color = ("triangle-alert", "bad") if upload.is_failed else ("upload", "text3")
            self.add_fact(icon, color, f"{upload.name} · {standing(upload)}")

    def buttons(self) -> tuple[QWidget, ...]:
        """Return what can be done with the draft."""
        return self.open_button, self.delete_button

    def _show_alt_text(self, words: str) -> None:
        self.show_alt_text(tr("Alt text: {text}", text=words) if words else "")


def account_words(account: Account) -> str:
    """Return ``Okafor Studio``, or the handle of an account without a name."""
    platform = account.platform.value
    return account.name or handle(account.handle, platform) or platform_name(platform)
