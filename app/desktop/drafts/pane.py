"""The drafts pane: texts, times, accounts, and the uploads of their files."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop import words
from app.desktop.drafts.list import (
    DELETE,
    EDGE,
    FACTS,
    GLYPHS,
    HAS_TIME,
    ICON,
    REASON,
    UPLOAD,
    WHEN,
    DraftList,
    no_time,
)
from app.desktop.kit.post_preview import PostPreview
from app.desktop.kit.row_pictures import RowPictures
from app.desktop.media.cover import Cover
from app.desktop.media.wording import standing
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets import EmptyState, Label, Panel, Reflow, danger, primary
from app.desktop.widgets.screen_reader import spoken_as
from app.desktop.words import handle, platform_name
from app.language import tr, trn
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.workspace import Workspace


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
        if upload is not None and upload.is_failed:
            self.add_fact("triangle-alert", "bad", upload.name)
            self.add_note(upload.reason, "bad")
        elif upload is not None:
            self.add_fact("upload", "text3", f"{upload.name} · {standing(upload)}")

    def buttons(self) -> tuple[QWidget, ...]:
        """Return the buttons for a draft's actions."""
        return self.open_button, self.delete_button

    def _show_alt_text(self, words: str) -> None:
        self.show_alt_text(tr("Alt text: {text}", text=words) if words else "")


def account_words(account: Account) -> str:
    """Return ``Okafor Studio``, or the handle of an account without a name."""
    platform = account.platform.value
    return account.name or handle(account.handle, platform) or platform_name(platform)


def account_and_platform(account: Account) -> str:
    """Return ``Okafor Studio on LinkedIn``."""
    platform = platform_name(account.platform.value)
    return tr("{account} on {platform}", account=account_words(account), platform=platform)


_GUTTER = 20
_PREVIEW_LEAST = 760
_NOTHING = tr("No drafts. Unfinished posts land here.")
_ICONS = {PostType.TEXT: "", PostType.IMAGE: "image", PostType.VIDEO: "play"}


@spoken_as(QAccessible.Role.Grouping)
class DraftsPane(QWidget):
    """Lists drafts, most recently changed first. Enter opens a draft, Del deletes it."""

    opened = Signal(str)
    """The ID of a draft to open."""
    thrown_away = Signal(object)
    """The ComposerDraft that was just deleted."""
    begun = Signal()
    """The user wants to start a new post."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__()
        self._workspace, self._zone = workspace, zone
        self._unfinished: ComposerDraft | None = None
        self._shown: list[ComposerDraft] = []
        self.pictures = RowPictures(self, self._picture, EDGE)
        self.list = DraftList(self.pictures)
        self.preview = DraftPreview(workspace.media)
        self.open_button, self.delete_button = self.preview.open_button, self.preview.delete_button
        self._count = Label("", "card", "text3")
        self.empty = EmptyState("file-pen-line", _NOTHING, tr("New post"), kind="primary")
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self.refresh()

    def show_unfinished(self, draft: ComposerDraft | None) -> None:
        """List the composer's unfinished post above the drafts; None while the composer is open."""
        shown = draft if draft is not None and not draft.is_empty else None
        if shown != self._unfinished:
            self._unfinished = shown
            self.refresh()

    def _drafts(self) -> list[ComposerDraft]:
        unfinished = [self._unfinished] if self._unfinished is not None else []
        ids = {draft.draft_id for draft in unfinished}
        kept = (draft.content for draft in self._workspace.drafts.all())
        return [*unfinished, *(draft for draft in kept if draft.draft_id not in ids)]

    @property
    def is_at_rest(self) -> bool:
        """Whether no picture is loading."""
        return self.pictures.is_at_rest and self.preview.cover.is_at_rest

    def refresh(self) -> None:
        """Update all rows. The selection stays."""
        self._shown = drafts = self._drafts()
        self._list({draft.draft_id: draft for draft in drafts})
        self._count.setText(trn("{n} draft", "{n} drafts", len(drafts)) if drafts else "")
        self._stack.setCurrentIndex(0 if drafts else 1)
        self.setFocusProxy(self.list if drafts else self.empty)
        self._show_preview()

    def showEvent(self, event: QShowEvent) -> None:
        """Retry pictures that failed to load."""
        super().showEvent(event)
        self.pictures.forget_missing()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the preview if the list needs the space."""
        super().resizeEvent(event)
        self._show_preview()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle Del in the list."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                if not event.isAutoRepeat():  # only the last few can be restored
                    self._throw_away()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._open()
                return True
        return super().eventFilter(watched, event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus the list."""
        del event
        self.list.setFocus()

    def _list(self, drafts: Mapping[str, ComposerDraft]) -> None:
        """List these drafts; the selection moves on only if its draft is gone."""
        chosen, row = self.list.current_key(), self.list.currentRow()
        self.list.list_items(drafts, self._fill)
        if chosen not in drafts:
            self.list.setCurrentRow(min(max(row, 0), len(drafts) - 1))

    def _fill(self, item: QListWidgetItem, content: ComposerDraft) -> None:
        upload = self._workspace.media.uploads.get(content.upload_id)
        title, when = self._title(content, upload), self._when(content.at)
        accounts, tokens = self._accounts(content), theme.current().tokens
        facts = self._facts(content, upload, map(account_words, accounts))
        said = self._facts(content, upload, map(account_and_platform, accounts))
        item.setText(title)
        item.setData(FACTS, facts)
        item.setData(WHEN, when)
        item.setData(HAS_TIME, content.at is not None)
        item.setData(ICON, _ICONS[upload.post_type if upload else PostType.TEXT])
        reason = upload.reason if upload is not None and upload.is_failed else ""
        item.setData(REASON, reason)
        item.setData(UPLOAD, upload.id if upload is not None else "")
        item.setData(
            GLYPHS, [(platform_icon(one.platform.value), tokens.account(one.color_index)) for one in accounts]
        )
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, (title, said, reason, when))))

    def _title(self, content: ComposerDraft, upload: Upload | None) -> str:
        first = next((line.strip() for line in content.text.splitlines() if line.strip()), "")
        written = (content.title.strip() or first)[:200]
        return written or (upload.name if upload else tr("Nothing written yet"))

    def _facts(self, content: ComposerDraft, upload: Upload | None, named: Iterable[str]) -> str:
        """Return the second line; ``named``: the accounts, of which equal ones are mentioned once."""
        unfinished = [tr("Unfinished")] if content == self._unfinished else []
        facts = [*unfinished, ", ".join(dict.fromkeys(named)) or tr("No account")]
        if upload is not None and not upload.is_done and not upload.is_failed:
            facts.append(standing(upload))
        return " · ".join(facts)

    def _accounts(self, content: ComposerDraft) -> list[Account]:
        accounts = self._workspace.accounts
        return [accounts[key] for key in content.account_keys if key in accounts]

    def _when(self, at: int | None) -> str:
        if at is None:
            return no_time()
        return words.day_and_time(datetime.fromtimestamp(at / 1_000, self._zone))

    async def _picture(self, upload_id: str) -> bytes | None:
        upload = self._workspace.media.uploads.get(upload_id)
        return await self._workspace.media.small_picture(upload) if upload is not None else None

    def _show_preview(self) -> None:
        row = self.list.currentRow()
        draft = self._shown[row] if 0 <= row < len(self._shown) == self.list.count() else None
        has_room = self.width() >= theme.current().grown(_PREVIEW_LEAST)
        self.preview.setVisible(draft is not None and has_room)
        if draft is not None:
            upload = self._workspace.media.uploads.get(draft.upload_id)
            self.preview.show_draft(draft, self._accounts(draft), self._when(draft.at), upload)

    def _act(self, row: int, action: str) -> None:
        self.list.setCurrentRow(row)
        if action == DELETE:
            self._throw_away()
        else:
            self._open()

    def _open(self) -> None:
        if chosen := self.list.current_key():
            self.opened.emit(chosen)

    def _throw_away(self) -> None:
        chosen, unfinished = self.list.current_key(), self._unfinished
        if unfinished is not None and chosen == unfinished.draft_id:
            self._workspace.save_composer(None)
            self.show_unfinished(None)
            self.thrown_away.emit(unfinished)
            return
        draft = self._workspace.drafts.get(chosen)
        if draft is not None:
            self._workspace.drafts.remove([draft.id])
            self.thrown_away.emit(draft.content)

    def _changed(self, changes: Changes) -> None:
        if changes.drafts or changes.accounts or changes.reset:
            self.refresh()

    def _told(self, upload: Upload) -> None:
        if any(upload.id in draft.uploads for draft in self._drafts()):
            self.refresh()

    def _connect(self) -> None:
        self.list.itemActivated.connect(lambda _item: self._open())
        self.list.installEventFilter(self)
        self.open_button.clicked.connect(self._open)
        self.delete_button.clicked.connect(self._throw_away)
        self.empty.acted.connect(self.begun)
        self.list.currentRowChanged.connect(lambda _row: self._show_preview())
        self.list.rows.acted.connect(self._act)
        self.pictures.arrived.connect(self.list.viewport().update)
        theme.follow(self.list.doItemsLayout)  # the height of rows depends on the font
        for stop in (self._workspace.listen(self._changed), self._workspace.media.listen(self._told)):
            self.destroyed.connect(lambda _object=None, stop=stop: stop())

    def _lay_out(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab goes on to the first control
        self.setAccessibleName(tr("Drafts"))
        self.open_button.setToolTip(tr("Continue this draft (Enter)"))
        self.delete_button.setToolTip(tr("Delete draft (Del)"))
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addStrut(theme.current().metrics.control)  # the title stays where it is without the buttons
        head.addWidget(Label(tr("Drafts"), "title"))
        head.addWidget(self._count)
        head.addStretch(1)
        frame = Panel()
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.list)
        self.list.setProperty("bare", True)
        self._stack.addWidget(frame)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(_GUTTER, 12, _GUTTER, 16)
        column.setSpacing(12)
        column.addLayout(head)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._stack, 1)
        row.addWidget(self.preview)
        column.addLayout(row, 1)
