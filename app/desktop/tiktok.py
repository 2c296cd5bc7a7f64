"""TikTok's required settings of a post: who can see it, who may react, and what it promotes."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.contract.tiktok import TikTokChoice, TikTokCreator, TikTokPrivacy
from app.desktop.aio import TaskScope
from app.desktop.opening import open_page
from app.desktop.widgets import CheckBox, ComboBox, Field, FlowLayout, Label, LinkButton, keeping_focus
from app.desktop.widgets.painting import insets
from app.language import tr
from app.workspace.messages import Problem
from app.workspace.tiktok import TikTok, TikTokDraft

_SEEN_BY = {
    TikTokPrivacy.EVERYONE: tr("Everyone"),
    TikTokPrivacy.FRIENDS: tr("Friends"),
    TikTokPrivacy.FOLLOWERS: tr("Followers"),
    TikTokPrivacy.ONLY_ME: tr("Only me"),
}
_INDENT = 26
"""Indentation of a checkbox's label, in px."""
_MUSIC = "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en"
_BRANDED = "https://www.tiktok.com/legal/page/global/bc-policy/en"
_ASKING, _CHOOSE = tr("Loading options from TikTok…"), tr("Choose who can see it")
_SWITCHED_OFF = tr("Switched off in this account's TikTok settings.")
_PRIVATE = tr("Branded content can't be visible to only you.")


def privacy_words(privacy: str) -> str:
    """Return who can see a post; an unknown level is returned unchanged."""
    level = TikTokPrivacy(privacy)
    return _SEEN_BY.get(level, level.value)


def choice_words(choice: TikTokChoice) -> str:
    """Describe the settings in one line: who can see the post, and its labels."""
    labels = [privacy_words(choice.privacy)]
    if choice.branded_content:
        labels.append(tr("Paid partnership"))
    elif choice.your_brand:
        labels.append(tr("Promotional content"))
    if choice.ai_generated:
        labels.append(tr("AI-generated"))
    return tr("On TikTok: {labels}", labels=" · ".join(labels))


class TikTokField(QWidget):
    """The settings for one account: those that TikTok currently offers, or offered when last asked."""

    changed = Signal()
    """The user changed a setting."""
    answered = Signal(object)
    """A TikTokCreator: the settings that TikTok offers the account."""

    def __init__(
        self, tiktok: TikTok, account_key: str, draft: TikTokDraft, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tiktok, self._account_key, self._draft = tiktok, account_key, draft
        self._creator: TikTokCreator | None = None
        self._post_type = PostType.VIDEO
        self.privacy, self.again = ComboBox(), LinkButton(tr("Reload"))
        self.again.setAccessibleName(tr("Reload the options from TikTok"))
        self.field = Field(tr("Who can see it on TikTok"), self.privacy, trailing=self.again)
        self.comments, self.duet = CheckBox(tr("Allow comments")), CheckBox(tr("Allow duets"))
        self.stitch, self.ai = CheckBox(tr("Allow stitches")), CheckBox(tr("AI-generated content"))
        self.commercial = CheckBox(tr("Disclose commercial content"))
        self.your_brand, self.branded = CheckBox(tr("Your brand")), CheckBox(tr("Branded content"))
        self.label = Label("", "card", "text2", wrap=True)
        self.declaration = Label("", "card", "text3", wrap=True)
        self.music = LinkButton(tr("Music Usage Confirmation"))
        self.policy = LinkButton(tr("Branded Content Policy"))
        self._kinds, self._reactions, self._links = QWidget(), QWidget(), QWidget()
        self._scope = TaskScope(self)
        self._describe()
        self._lay_out()
        self._connect()
        self.again.hide()
        self._show()
        self._scope.start(self._begin(), self._failed)

    @property
    def creator(self) -> TikTokCreator | None:
        """The settings that TikTok offers the account; None if unknown."""
        return self._creator

    def draft(self) -> TikTokDraft:
        """Return the current settings."""
        return self._draft

    def set_draft(self, draft: TikTokDraft) -> None:
        """Show other settings, without emitting `changed`."""
        self._draft = draft
        self._show()

    def set_name(self, name: str) -> None:
        """Change the label of the first field."""
        self.field.set_label(name)

    def set_post_type(self, post_type: PostType) -> None:
        """Show the settings for this post type: photos have no duets, stitches or AI label."""
        if post_type is not self._post_type:
            self._post_type = post_type
            self._show()

    def set_error(self, text: str) -> None:
        """Show an error at the field for who can see the post; "" for none."""
        self.field.set_error(text)

    def focus_privacy(self) -> None:
        """Focus the field for who can see the post, or the button that asks TikTok."""
        (self.privacy if self.privacy.isEnabled() else self.again).setFocus()

    def focus_commercial(self) -> None:
        """Focus the field for what the post promotes."""
        self.your_brand.setFocus()

    def ask(self) -> None:
        """Ask TikTok for the current settings."""
        self.field.set_error("")
        self._scope.start(self._ask(), self._failed)

    async def _begin(self) -> None:
        if (known := await self._tiktok.known_creator(self._account_key)) is not None:
            self._take_creator(known)
        await self._ask()

    async def _ask(self) -> None:
        self._take_creator(await self._tiktok.ask_creator(self._account_key))
        with keeping_focus(self.again, self.privacy):
            self.again.hide()

    def _failed(self, problem: Problem) -> None:
        if self._creator is not None:
            self.field.set_help(tr("Last known options. TikTok can't be reached right now."))
        else:
            self.privacy.setPlaceholderText(tr("No options yet"))
            self.field.set_error(problem.text)
        self.again.show()

    def _take_creator(self, creator: TikTokCreator) -> None:
        self._creator = creator
        name = creator.nickname or creator.username
        handle = f"@{creator.username}" if creator.username and creator.nickname else ""
        whole = " ".join(part for part in (name, handle) if part)
        self.field.set_help(tr("Posting as {name}.", name=whole) if whole else "")
        self._show()
        self.answered.emit(creator)

    def _show(self) -> None:
        """Show the draft, limited to what TikTok offers."""
        draft, creator = self._draft, self._creator
        self.privacy.list_when_closed(self._list_audiences)
        is_video = self._post_type is not PostType.IMAGE
        for box, is_on, is_off in (
            (self.comments, draft.comments, creator is not None and creator.comments_disabled),
            (self.duet, draft.duet, creator is not None and creator.duet_disabled),
            (self.stitch, draft.stitch, creator is not None and creator.stitch_disabled),
        ):
            box.setEnabled(not is_off)
            box.setChecked(is_on and not is_off)
            box.setToolTip(_SWITCHED_OFF if is_off else "")
            box.setAccessibleDescription(_SWITCHED_OFF if is_off else "")
        for box in (self.duet, self.stitch, self.ai):
            box.setVisible(is_video)
        self.ai.setChecked(draft.ai)
        self.commercial.setChecked(draft.commercial)
        self.your_brand.setChecked(draft.your_brand)
        self.branded.setChecked(draft.branded)
        is_private = draft.privacy == TikTokPrivacy.ONLY_ME.value and not draft.branded
        self.branded.setEnabled(not is_private)
        self.branded.setToolTip(_PRIVATE if is_private else "")
        self._kinds.setVisible(draft.commercial)
        self.label.setText(self._label_words())
        self.label.setVisible(draft.commercial)
        self._declare()

    def _list_audiences(self) -> None:
        """List what TikTok offers, without a preselection. Options it no longer offers aren't shown."""
        levels = [level.value for level in self._creator.privacy_levels] if self._creator else []
        if not self._creator and self._draft.privacy:
            levels = [self._draft.privacy]
        self.privacy.clear()
        self.privacy.setPlaceholderText(_CHOOSE if levels else _ASKING)
        for level in levels:
            self.privacy.addItem(privacy_words(level), level)
        self.privacy.setEnabled(bool(levels))
        model = self.privacy.model()
        only_me = TikTokPrivacy.ONLY_ME.value
        if self._is_branded and only_me in levels and isinstance(model, QStandardItemModel):
            item = model.item(levels.index(only_me))
            item.setEnabled(self._draft.privacy == only_me)
            item.setToolTip(_PRIVATE)
        chosen = self._draft.privacy
        self.privacy.setCurrentIndex(levels.index(chosen) if chosen in levels else -1)

    @property
    def _is_branded(self) -> bool:
        return self._draft.commercial and self._draft.branded

    def _label_words(self) -> str:
        draft, is_photo = self._draft, self._post_type is PostType.IMAGE
        if draft.is_undisclosed:
            return tr("Say whether the post promotes yourself, a third party, or both.")
        if draft.branded:
            return (
                tr("Your photo will be labeled as “Paid partnership”.")
                if is_photo
                else tr("Your video will be labeled as “Paid partnership”.")
            )
        return (
            tr("Your photo will be labeled as “Promotional content”.")
            if is_photo
            else tr("Your video will be labeled as “Promotional content”.")
        )

    def _declare(self) -> None:
        self.declaration.setText(
            tr(
                "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation. "
                "TikTok may take a few minutes to show the post."
            )
            if self._is_branded
            else tr(
                "By posting, you agree to TikTok's Music Usage Confirmation. "
                "TikTok may take a few minutes to show the post."
            )
        )
        self.policy.setVisible(self._is_branded)

    def _take(self) -> None:
        """Store the user's input, and update what depends on it."""
        index = self.privacy.currentIndex()
        privacy = self.privacy.itemData(index) if index >= 0 else self._draft.privacy
        before, creator = self._draft, self._creator
        self._draft = replace(
            before,
            privacy=str(privacy or ""),
            # A disabled option may be enabled again when the post is published.
            comments=before.comments if creator and creator.comments_disabled else self.comments.isChecked(),
            duet=before.duet if creator and creator.duet_disabled else self.duet.isChecked(),
            stitch=before.stitch if creator and creator.stitch_disabled else self.stitch.isChecked(),
            commercial=self.commercial.isChecked(),
            your_brand=self.your_brand.isChecked(),
            branded=self.branded.isChecked(),
            ai=self.ai.isChecked(),
        )
        if self._draft != before:
            self._show()
            self.changed.emit()

    def _describe(self) -> None:
        self.your_brand.setAccessibleDescription(tr("You promote yourself or your own business."))
        self.branded.setAccessibleDescription(tr("You promote another brand or a third party."))
        for box in (self.your_brand, self.branded):
            box.setToolTip(box.accessibleDescription())
        self.commercial.setAccessibleDescription(
            tr("For posts that promote goods or services in exchange for something of value.")
        )
        self.ai.setAccessibleDescription(tr("Labels the video as “Creator labeled as AI-generated”."))
        for box in (self.commercial, self.ai):
            box.setToolTip(box.accessibleDescription())
        self.privacy.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.privacy.setMinimumContentsLength(8)

    def _lay_out(self) -> None:
        reactions = FlowLayout(self._reactions, 16, 8)
        for box in (self.comments, self.duet, self.stitch):
            reactions.addWidget(box)
        kinds = FlowLayout(self._kinds, 16, 8)
        for box in (self.your_brand, self.branded):
            kinds.addWidget(box)
        links = FlowLayout(self._links, 16, 6)
        for link in (self.music, self.policy):
            links.addWidget(link)
        below = QVBoxLayout()
        below.setContentsMargins(insets(_INDENT, 0, 0, 0))
        below.setSpacing(6)
        below.addWidget(self._kinds)
        below.addWidget(self.label)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self._reactions)
        column.addWidget(self.ai, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.commercial, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(below)
        column.addWidget(self.declaration)
        column.addWidget(self._links)

    def _connect(self) -> None:
        self.privacy.activated.connect(lambda _index: self._take())
        for box in (
            self.comments,
            self.duet,
            self.stitch,
            self.commercial,
            self.your_brand,
            self.branded,
            self.ai,
        ):
            box.clicked.connect(lambda _checked: self._take())
        self.again.clicked.connect(self.ask)
        self.music.clicked.connect(lambda: open_page(_MUSIC))
        self.policy.clicked.connect(lambda: open_page(_BRANDED))
